"""Routes of the API and of the pages."""
