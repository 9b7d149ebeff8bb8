"""The directions of the house: which part may import which.

Only the pipeline (with its pure half, ``finding``, and its last step, ``setting``) joins stages, no
stage reads a later one, siblings never import each other, and front ends call the pipeline.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "printer"

#: What any part may import.
VALUES = {"errors", "article", "model", "options"}

#: What each part may import besides itself and the values.
MAY_IMPORT = {
    "errors": set(),
    "article": set(),
    "options": set(),
    "model": set(),
    "config": {"toml"},
    "toml": set(),
    "sqlite": set(),
    "replacing": set(),
    "library": {"sqlite"},
    "tracking": set(),
    "ahead": set(),
    "uncollected": set(),
    "held": {"fetch", "images", "render"},
    "fetch": {"__init__"},
    "dom": {"uncollected"},
    "rules": {"dom", "replacing", "toml"},
    "extract": {"dom"},
    "images": {"dom", "sqlite"},
    "compose": {"dom"},
    "render": {"__init__", "toml", "tracking"},
    "export": {"render"},
    "setting": {"render", "export"},
    "retrieve": set(),
    "editing": {"dom", "rules"},
    "finding": {
        "dom",
        "rules",
        "editing",
        "extract",
        "images",
        "compose",
        "retrieve",
        "uncollected",
    },
    "pipeline": {
        "ahead",
        "held",
        "finding",
        "editing",
        "fetch",
        "dom",
        "compose",
        "render",
        "images",
        "retrieve",
        "setting",
    },
    "apart": {"pipeline", "render"},
    "jobs": {"config", "editing", "pipeline", "render", "export", "rules", "sqlite"},
    "crawl": {"tracking", "fetch", "dom", "retrieve", "pipeline", "jobs"},
    "batch": {"config", "crawl", "fetch", "jobs"},
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
        "rules",
    },
    "digest": {
        "ahead",
        "apart",
        "replacing",
        "config",
        "crawl",
        "dom",
        "fetch",
        "jobs",
        "library",
        "pipeline",
        "render",
        "retrieve",
        "rules",
        "toml",
    },
    "cli": {
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
        "rules",
        "jobs",
        "server",
    },
    "__init__": {"finding", "pipeline"},
}

MODULES = sorted(ROOT.rglob("*.py"))


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


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long(path):
    assert len(path.read_text().splitlines()) <= 400


def needed(path: Path) -> set[Path]:
    """The modules of the package that a module names in its imports, for types alone or not."""
    package = path.relative_to(ROOT).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ROOT.joinpath(*package[: len(package) - node.level + 1])
            base = base.joinpath(*filter(None, (node.module or "").split(".")))
            for alias in node.names:
                inside = (base / alias.name, base)
                places = (place.with_suffix(".py") for place in inside)
                found |= {place for place in places if place.is_file()}
    return found - {path}


def test_no_imports_run_in_a_circle():
    graph = {path: needed(path) for path in MODULES if path.name != "__init__.py"}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = " -> ".join(str(path.relative_to(ROOT)) for path in error.args[1])
        pytest.fail(circle)
