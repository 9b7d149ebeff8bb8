"""WeasyPrint: the engine, patches of its internals, and data read from its layout."""
