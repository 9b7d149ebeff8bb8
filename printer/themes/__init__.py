"""Themes: folders with theme.toml, templates and print.css that define the layout of articles."""
