"""The wheel works on its own, from any folder, templates and model included."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PAGE = "<title>A day</title><article>" + "".join(
    f"<p>On day {n} the ferry left the harbour at dawn, and nobody on the quay was late.</p>"
    for n in range(9)
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The wheel's content, unpacked as an installer would."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("webprint-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_it_holds_the_package_and_the_templates(installed):
    names = {str(path.relative_to(installed)) for path in installed.rglob("*")}
    assert {"printer/py.typed", "printer/templates/article/print.css"} <= names
    assert {
        "printer/i18n/month_names.json",
        "printer/i18n/labels.json",
        "printer/html/elements.json",
        "printer/fetch/media_types.json",
        "printer/fetch/browser/chromium_switches.txt",
        "printer/fetch/browser/serialize.js",
    } <= names
    assert {"printer/server/static/style.css", "printer/server/templates/start.html.j2"} <= names
    assert not [name for name in names if name.startswith(("tests", "samples", "benchmarks"))]


def test_it_prints_from_any_folder(installed, tmp_path):
    (tmp_path / "page.html").write_text(PAGE)
    code = "import printer; from printer.cli import main; print(printer.__file__); main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "page.html", "out.pdf"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == str(installed / "printer" / "__init__.py")
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF")
