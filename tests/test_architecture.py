"""The directions of the house: which part may import which.

Only the pipeline (with its pure half, ``finding``, its last step, ``setting``, and ``held``, what a
run shares) joins stages, no stage reads a later one, siblings never import each other (but
``export`` what ``render`` writes text with), and front ends call the pipeline.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "printer"

#: What any part may import.
VALUES = {"errors", "article", "model", "options", "text"}

#: What each part may import besides itself and the values.
MAY_IMPORT = {
    "errors": set(),
    "text": set(),
    "article": set(),
    "options": set(),
    "model": set(),
    "config": {"toml"},
    "toml": set(),
    "sqlite": set(),
    "database": {"sqlite"},
    "replacing": set(),
    "library": {"sqlite"},
    "tracking": set(),
    "ahead": set(),
    "uncollected": set(),
    "held": {"fetch", "images", "render"},
    "fetch": {"sqlite"},
    "html": {"uncollected"},
    "site_rules": {"html", "replacing", "toml"},
    "extraction": {"html"},
    "images": {"html", "sqlite"},
    "compose": {"html"},
    "worker_process": set(),
    "themes": {"toml"},
    "render": {"themes", "tracking"},
    "export": {"render"},
    "setting": {"render", "export"},
    "summarize": set(),
    "editing": {"html", "site_rules"},
    "finding": {
        "html",
        "site_rules",
        "editing",
        "extraction",
        "images",
        "compose",
        "summarize",
        "uncollected",
    },
    "pipeline": {
        "themes",
        "ahead",
        "held",
        "finding",
        "editing",
        "fetch",
        "html",
        "compose",
        "render",
        "images",
        "summarize",
        "setting",
    },
    "apart": {"pipeline", "render"},
    "jobs": {"themes", "config", "database", "editing", "pipeline", "render", "site_rules"},
    "crawl": {"database", "tracking", "fetch", "html", "summarize", "pipeline"},
    "batch": {"config", "crawl", "database", "fetch", "jobs"},
    "server": {
        "__init__",
        "config",
        "digest",
        "editing",
        "pipeline",
        "render",
        "replacing",
        "export",
        "jobs",
        "site_rules",
    },
    "digest": {
        "ahead",
        "apart",
        "replacing",
        "config",
        "crawl",
        "database",
        "html",
        "fetch",
        "jobs",
        "pipeline",
        "render",
        "summarize",
        "site_rules",
        "toml",
    },
    "cli": {
        "themes",
        "replacing",
        "library",
        "digest",
        "__init__",
        "batch",
        "crawl",
        "config",
        "pipeline",
        "fetch",
        "render",
        "export",
        "site_rules",
        "jobs",
        "server",
    },
    "__init__": {"finding", "pipeline"},
}

MODULES = sorted(ROOT.rglob("*.py"))
BENCHMARKS = ROOT.parent / "benchmarks"


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imported(path: Path) -> set[str]:
    """The parts of the package that a module imports, wherever in it the import stands."""
    package = ("printer", *path.relative_to(ROOT).parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            target = (*base, *filter(None, (node.module or "").split(".")))
            names = [(*target, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "printer":
                part = name[1]
                exists = (ROOT / part).is_dir() or (ROOT / f"{part}.py").is_file()
                found.add(part if exists else "__init__")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    part = part_of(path)
    allowed = MAY_IMPORT[part] | VALUES | {part}
    assert imported(path) <= allowed


@pytest.mark.parametrize("root", [ROOT, BENCHMARKS], ids=lambda root: root.name)
def test_no_file_is_too_long(root):
    assert [path for path in root.rglob("*.py") if len(path.read_text().splitlines()) > 400] == []


def needed(root: Path, path: Path) -> set[Path]:
    """The modules of a package that a module names in its imports, for types alone or not."""
    package = path.relative_to(root).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = root.joinpath(*package[: len(package) - node.level + 1])
            base = base.joinpath(*filter(None, (node.module or "").split(".")))
            for alias in node.names:
                inside = (base / alias.name, base)
                places = (place.with_suffix(".py") for place in inside)
                found |= {place for place in places if place.is_file()}
    return found - {path}


#: What is longer than a screen, and why.
LONG = {
    "html/index.py:_walk": "a walk with a stack of its own, which no depth of a page overflows",
}


def own_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count a function's lines from its first statement on, without the functions inside it."""
    inside = [
        node
        for node in ast.walk(function)
        if node is not function and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lines = set(range(function.body[0].lineno, (function.end_lineno or 0) + 1))
    for node in inside:
        lines -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


@pytest.mark.parametrize("part", sorted(MAY_IMPORT))
def test_no_part_may_import_what_it_does_not(part):
    """So that a new arrow is seen when it is drawn."""
    used = set[str]().union(*(imported(path) for path in MODULES if part_of(path) == part))
    assert MAY_IMPORT[part] <= used


def test_every_function_fits_a_screen():
    """The options of a command stand in its signature, a line each, and do not count."""
    long = {
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and own_lines(node) > 50
    }
    assert long == set(LONG)


@pytest.mark.parametrize("root", [ROOT, BENCHMARKS], ids=lambda root: root.name)
def test_no_imports_run_in_a_circle(root):
    modules = (path for path in root.rglob("*.py") if path.name != "__init__.py")
    graph = {path: needed(root, path) for path in modules}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = " -> ".join(str(path.relative_to(root)) for path in error.args[1])
        pytest.fail(circle)
