"""Rendering of articles to PDF: templates, prepared assets, WeasyPrint."""
