"""Printing for tests of themes, as for those of rendering."""

from tests.render.conftest import press, printed

__all__ = ["press", "printed"]
