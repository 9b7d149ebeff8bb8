"""WeasyPrint: the engine, patches of its internals, and what is read off its layout."""
