"""The print server: a start page, a print button, an API, and an editor for prints."""
