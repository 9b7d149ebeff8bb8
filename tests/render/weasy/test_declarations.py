"""Tests of WeasyPrint's compiled declarations."""

import runpy
import subprocess
import sys
from pathlib import Path

from printer.render.weasy.engine import DECLARATIONS

SCRIPT = Path(__file__).parents[3] / "scripts/weasyprint_declarations.py"
IMPORT = """
from printer.render.weasy import engine
{change}
engine.import_weasyprint()
import weasyprint
from weasyprint.text.ffi import ffi
print(type(ffi).__name__)
weasyprint.HTML(string="<p>A line").write_pdf()
"""


def imported(change: str = "") -> str:
    command = [sys.executable, "-c", IMPORT.format(change=change)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_file_is_that_of_the_installed_weasyprint() -> None:
    expected = runpy.run_path(str(SCRIPT))["file_content"]()

    assert DECLARATIONS.read_text("ascii") == expected, f"run {SCRIPT.name}"


def test_weasyprint_uses_the_file() -> None:
    assert imported() == "CompiledFFI"


def test_another_weasyprint_declares_for_itself() -> None:
    assert imported("engine.hash_declarations = lambda source: 'another'") == "FFI"


def test_objects_that_are_left_at_the_end_of_python_can_be_freed() -> None:
    program = """
import sys
from printer.render.weasy.engine import import_weasyprint
import_weasyprint()
from weasyprint.text.ffi import ffi, gobject, pango, pangoft2
fonts = ffi.gc(pangoft2.pango_ft2_font_map_new(), gobject.g_object_unref)
context = ffi.gc(pango.pango_font_map_create_context(fonts), gobject.g_object_unref)
sys.left = [context, fonts]
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
