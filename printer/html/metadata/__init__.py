"""Metadata that a page states about itself."""
