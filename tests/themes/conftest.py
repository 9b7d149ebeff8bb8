"""Printing for tests of themes, as for those of rendering."""

from tests.render.conftest import formulas_drawn_once, press, printed

__all__ = ["formulas_drawn_once", "press", "printed"]
