"""From article to print: templates, prepared assets, WeasyPrint."""
