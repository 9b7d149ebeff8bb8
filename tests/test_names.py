"""Names in the code are plain words that say what a thing is, and modules are easy to read."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(path.relative_to(ROOT) for path in (ROOT / "printer").rglob("*.py"))
FOLDERS = ["printer", "benchmarks", "samples", "scripts", "tests"]

#: Participles and pronouns that do not say what a thing is.
VAGUE = frozenset(
    "already apart asked begun came each elsewhere fate fates given hand handed held how kept"
    " labour labours laid made mine others ours own said seen shown sooner such taken that theirs"
    " there this ticked told wanted what which who whole wish yet".split()
)
#: The words that a test, whose name is a sentence, may use.
IN_SENTENCES = frozenset(
    "already apart begun each elsewhere fate given hand held how kept laid made mine others ours"
    " own seen such taken that there this what which who whole yet".split()
)
#: Callbacks whose names a library has chosen.
CALLBACKS = frozenset(["connection_made"])
#: What else docstrings name: elements, and names of other modules.
NAMED_IN_DOCSTRINGS = frozenset(["__file__", "h1", "img", "metavar", "printed"])
MAX_LINES = 800

Parse = Callable[[Path], ast.Module]


@pytest.fixture(scope="module")
def parse() -> Parse:
    """Parse each file once."""
    return cache(lambda path: ast.parse((ROOT / path).read_text()))


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every name that a module gives to something, and its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.alias(asname=str(name)):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def words(name: str) -> set[str]:
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_"))


def vague_words(name: str) -> set[str]:
    vague = words(name) & VAGUE
    return vague - IN_SENTENCES if name.startswith("test_") else vague


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_say_what_things_are(folder: str, parse: Parse) -> None:
    assert [
        f"{path}:{line}: {name}"
        for path in sorted(file.relative_to(ROOT) for file in (ROOT / folder).rglob("*.py"))
        for line, name in identifiers(parse(path))
        if vague_words(name) and name not in CALLBACKS
    ] == []


def test_no_module_is_too_long() -> None:
    lengths = {path: len((ROOT / path).read_text().splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}


def _joint_constants(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of statements that give several constants of a module or class a value."""
    bodies = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for statement in (statement for body in bodies for statement in body.body):
        if isinstance(statement, ast.Assign):
            is_joint = isinstance(statement.targets[0], ast.Tuple | ast.List)
            if is_joint or len(statement.targets) > 1:
                yield statement.lineno


def test_each_constant_has_a_statement_of_its_own(parse: Parse) -> None:
    assert [f"{path}:{line}" for path in MODULES for line in _joint_constants(parse(path))] == []


def test_each_constant_is_defined_once(parse: Parse) -> None:
    for path in MODULES:
        body = parse(path).body
        names = [
            ast.unparse(t) for line in body if isinstance(line, ast.Assign) for t in line.targets
        ]
        assert [name for name, count in Counter(names).items() if count > 1] == [], path


def _docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the docstring of every function, and its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, ast.get_docstring(node) or ""


def test_docstrings_name_only_what_the_module_has(parse: Parse) -> None:
    unknown = []
    for path in MODULES:
        source = (ROOT / path).read_text()
        code = re.sub(r'"""[\s\S]*?"""|#.*', "", source)
        unknown += [
            f"{path}:{line}: {name}"
            for line, text in _docstrings(parse(path))
            for name in re.findall(r"``(\w+)``", text)
            if not re.search(rf"\b{name}\b", code) and name not in NAMED_IN_DOCSTRINGS
        ]
    assert unknown == []
