"""What a page states about itself."""
