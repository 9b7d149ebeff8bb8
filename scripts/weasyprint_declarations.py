"""Write the compiled form of WeasyPrint's C declarations, which saves parsing them at each start.

python scripts/weasyprint_declarations.py

Run it when the version of WeasyPrint changes; until then, WeasyPrint parses its declarations
itself, which takes a tenth of a second longer.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import redirect_stdout
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cffi

from printer.render.weasy.engine import DECLARATIONS, hash_declarations


def declarations() -> str:
    """Return the C declarations in WeasyPrint's source."""
    file = files("weasyprint") / "text" / "ffi.py"
    tree = ast.parse(file.read_text("utf-8"))
    (call,) = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ffi.cdef"
    )
    source: str = ast.literal_eval(call.args[0])
    return source


def compiled(source: str) -> dict[str, Any]:
    """Return the arguments of ``_cffi_backend.FFI`` for C declarations."""
    ffi = cffi.FFI()
    ffi.cdef(source)
    ffi.set_source("declarations", None)
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        file = Path(folder, "declarations.py")
        ffi.emit_python_code(str(file))
        tree = ast.parse(file.read_text("utf-8"))
    (call,) = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {str(item.arg): ast.literal_eval(item.value) for item in call.keywords}


def encode_arguments(value: Any) -> Any:
    """Return the arguments of cffi as values of JSON: bytes as text, tuples as lists."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, dict):
        return {key: encode_arguments(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [encode_arguments(item) for item in value]
    return value


def file_content() -> str:
    """Return what the file must contain."""
    source = declarations()
    data = {"source": hash_declarations(source), "arguments": encode_arguments(compiled(source))}
    return json.dumps(data, indent=0) + "\n"


if __name__ == "__main__":
    DECLARATIONS.write_text(file_content(), "ascii")
