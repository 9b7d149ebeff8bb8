"""Metadata: what a page states about itself."""
