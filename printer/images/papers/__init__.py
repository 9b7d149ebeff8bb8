"""Published methods of picture selection, each whole in one module."""
