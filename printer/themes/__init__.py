"""Themes: folders with theme.toml, templates and print.css that say how an article is set."""
