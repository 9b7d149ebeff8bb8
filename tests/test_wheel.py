"""The wheel and the sdist: reproducible, complete, and working in a new environment."""

import email
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import weasyprint
from packaging.metadata import Metadata

ROOT = Path(__file__).parent.parent
PAGE = "<title>A day</title><article>" + "".join(
    f"<p>On day {n} the ferry left the harbour at dawn, and nobody on the quay was late.</p>"
    for n in range(9)
)


def build(source, out):
    """Build the sdist and the wheel of a folder, as a frontend does."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=source, check=True, capture_output=True, env=environment)
    return sorted(out.iterdir())


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The wheel and the sdist of this tree."""
    sdist, wheel = sorted(
        build(ROOT, tmp_path_factory.mktemp("dist")), key=lambda path: path.suffix
    )
    return wheel, sdist


@pytest.fixture(scope="module")
def environment(dist, tmp_path_factory):
    """An environment with the wheel, and beside it only the libraries of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", dist[0]], check=True)
    (site,) = folder.glob("lib/*/site-packages")
    # Of a folder that such a file names, no other such file is read, so webprint is not found twice.
    (site / "libraries.pth").write_text(str(Path(weasyprint.__file__).parents[1]))
    return folder


def test_it_is_the_same_whenever_and_wherever_it_is_built(dist, tmp_path):
    with tarfile.open(dist[1]) as archive:
        # Python 3.11.2, that of Debian 12, has no filters; they become the default in 3.14.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(tmp_path / "copy")
    (copy,) = (tmp_path / "copy").iterdir()
    for number, path in enumerate(sorted(copy.rglob("*"))):
        os.utime(path, (number, number))
        path.chmod(0o700 if path.is_dir() else 0o600)
    again = sorted(build(copy, tmp_path / "again"), key=lambda path: path.suffix)
    for first, second in zip(dist, reversed(again), strict=True):
        assert first.name == second.name
        digests = [hashlib.sha256(path.read_bytes()).digest() for path in (first, second)]
        assert digests[0] == digests[1], f"{first} {second}"


def test_the_wheel_carries_all_data(dist):
    expected = {
        str(path.relative_to(ROOT) if top == "printer" else Path("printer", path.relative_to(ROOT)))
        for top in ("printer", "templates")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(dist[0]) as archive:
        names = {
            name
            for name in archive.namelist()
            if ".dist-info/" not in name and ".data/" not in name
        }
    assert names == expected


def test_its_metadata_is_valid(dist):
    with zipfile.ZipFile(dist[0]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        data = archive.read(name)
    metadata = Metadata.from_email(data, validate=True)
    assert metadata.description_content_type == "text/markdown"
    assert str(email.message_from_bytes(data).get_payload()).startswith("# webprint")


def test_it_prints_from_an_environment_of_its_own(environment, tmp_path):
    (tmp_path / "page.html").write_text(PAGE)
    for command in (["bin/webprint"], ["bin/python", "-m", "printer"]):
        program = [environment / command[0], *command[1:]]
        ran = subprocess.run(
            [*program, "page.html", "out.pdf"], cwd=tmp_path, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF")
        (tmp_path / "out.pdf").unlink()
    where = "import printer; print(printer.__file__)"
    ran = subprocess.run(
        [environment / "bin/python", "-c", where], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.stdout.startswith(str(environment))


@pytest.mark.skipif(not shutil.which("git"), reason="no git")
def test_the_sdist_has_nothing_that_git_does_not(dist):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode:
        pytest.skip("not a git checkout")
    with tarfile.open(dist[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names - {"PKG-INFO"} <= {*ran.stdout.splitlines()}


def test_the_image_copies_all_files_that_the_build_reads():
    """Names that pyproject.toml includes are among those that the Dockerfile copies."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], *wheel.get("shared-data", {})}
    copied = set(re.findall(r"^COPY (.*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    assert needed <= {name for names in copied for name in names.split()}
