"""Routes of the print server: the API, the pages, and the editor."""
