"""Published methods of picture selection, one module each."""
