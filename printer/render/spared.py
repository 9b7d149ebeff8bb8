"""WeasyPrint loaded without what it needs for few documents, or for none.

Where HarfBuzz cuts fonts down, WeasyPrint has no use for fontTools' own way, and only a variable
font is made a plain one by it; yet loading both is a quarter of loading WeasyPrint.  So they are
loaded when they are first called.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

#: Modules of which WeasyPrint takes nothing but functions and classes to call.
_LATER = ("fontTools.subset", "fontTools.varLib.instancer")


class _Later(ModuleType):
    """Stands in for a module: what is called in it is looked up in the module itself."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*given: Any, **more: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*given, **more)

        return call


def load_weasyprint() -> None:
    """Load WeasyPrint; to be called where no other thread imports anything meanwhile.

    Raises :class:`OSError` when a library of the system is missing.
    """
    stand_ins = {name: _Later(name) for name in _LATER if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        import weasyprint  # noqa: F401
    finally:
        for name in stand_ins:
            del sys.modules[name]
