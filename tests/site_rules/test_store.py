"""Rule files: reading, errors, adding and removing rules."""

import tomllib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.errors import UsageError
from printer.site_rules import store
from printer.site_rules.store import (
    RuleStore,
    add_selectors,
    delete_file,
    list_files,
    parse_rule,
    remove_rule,
    remove_selectors,
    switch_file,
    with_selectors,
)


def test_a_file_is_found_by_host_and_domain(tmp_path):
    (tmp_path / "example.org.toml").write_text('drop = ".ad"\n')
    (tmp_path / "news.example.org.toml").write_text('drop = [".more"]\ntitle = "h2"\n')
    (tmp_path / "example.org.txt").write_text("strip: //p\n")
    (tmp_path / ".example.org.txt").write_text("strip: //q\n")
    shelf = RuleStore((tmp_path,))
    drops = [rule.drop for rule in shelf("https://www.news.example.org/x")]
    assert drops == [(".more",), (".ad",), ("//q",)]
    assert [r.drop for r in shelf("https://www.example.org/")] == [(".ad",), ("//q",), ("//p",)]
    assert shelf("https://other.example/") == ()
    assert shelf("") == ()
    assert [rule.host for rule in shelf.all()] == ["example.org"] * 3 + ["news.example.org"]


def test_edited_files_are_used_at_once(tmp_path):
    shelf = RuleStore((tmp_path / "later",))
    assert shelf("https://example.org/") == ()
    add_selectors(tmp_path / "later", "example.org", "drop", [".ad"])
    assert shelf("https://example.org/")[0].drop == (".ad",)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("drop = [\n  '.a',\n  'p::x',\n]\n", 3, "'p::x' cannot be used"),
        ("\ndorp = ['.a']\n", 2, "'dorp' is none of drop, keep"),
        ("keep = 5\n", 1, "keep takes selectors"),
        ("keep = ['.a']\ndrop = ['.b'\ntitle = 'h1'\n", 3, "not valid TOML"),
        ("drop = ['.a']\ndrop = ['.b']\n", 2, "not valid TOML"),
        ("[table]\nx = 1\n", 1, "'table'"),
        ('title = "a[x=\\"y\\"] >"\n', 1, "cannot be used"),
    ],
)
def test_errors_name_their_line(text, line, message):
    rule = parse_rule(text, "example.org", "example.org.toml")
    (fault,) = rule.faults
    assert fault.startswith(f"example.org.toml, line {line}: ")
    assert message in fault


def test_valid_rules_beside_an_error_are_used():
    rule = parse_rule("drop = ['.a', ':::', '.b']\n", "example.org", "x")
    assert rule.drop == (".a", ".b")
    assert len(rule.faults) == 1


def test_files_that_are_too_much(tmp_path):
    path = tmp_path / "example.org.toml"
    path.write_text("# " + "x" * store.MAX_BYTES)
    assert "too large" in store.read_rule(path).faults[0]
    many = ", ".join(f"'.c{n}'" for n in range(store.MAX_SELECTORS + 1))
    assert "more than" in parse_rule(f"drop = [{many}]", "example.org", "x").faults[0]
    path.write_bytes(b"drop = '\xff'")
    assert store.read_rule(path).drop in ((), ("\ufffd",))


@pytest.mark.parametrize(
    "before",
    ["", "# mine\n", "drop = []\n", "drop = ['.x']\n", "drop = [\n    '.x', # why\n    '.y',\n]\n",
     "drop = '.x'\n", 'title = "h1"', "keep = ['.k']\ndrop = [ '.x' ]\ntitle = 'h1'\n"],
)  # fmt: skip
def test_a_selector_is_added_and_the_rest_stays(before):
    after = with_selectors(before, "drop", ['a[href="x"]', ".ü"])
    was, now = tomllib.loads(before), tomllib.loads(after)
    dropped = was.pop("drop", [])
    dropped = [dropped] if isinstance(dropped, str) else dropped
    assert sorted(now.pop("drop")) == sorted([*dropped, 'a[href="x"]', ".ü"])
    assert now == was
    for comment in ("# mine", "# why"):
        assert (comment in before) == (comment in after)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1))
def test_any_text_stands_between_quotes(text):
    assert tomllib.loads(with_selectors("", "drop", text))["drop"] == text


def test_existing_selectors_are_not_written_again(tmp_path):
    path = add_selectors(tmp_path, "example.org", "drop", [".a", ".a"])
    before = path.read_bytes()
    add_selectors(tmp_path, "example.org", "drop", [".a"])
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["example.org.toml"]


def test_selectors_added_at_once_are_all_kept(tmp_path):
    selectors = [f".a{number}" for number in range(12)]

    def add(selector):
        add_selectors(tmp_path, "example.org", "drop", [selector])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, selectors))
    (rule,) = RuleStore((tmp_path,))("https://example.org/a")
    assert sorted(rule.drop) == sorted(selectors)


def test_a_file_with_a_byte_order_mark_is_added_to(tmp_path):
    (tmp_path / "example.org.toml").write_bytes(b'\xef\xbb\xbfdrop = [".a"]\n')
    assert store.read_rule(tmp_path / "example.org.toml").drop == (".a",)
    add_selectors(tmp_path, "example.org", "drop", [".b"])
    (rule,) = RuleStore((tmp_path,))("https://example.org/a")
    assert rule.drop == (".a", ".b")


@pytest.mark.parametrize("host", ["", "..", "../x", "a/b", "/etc", "a b", "A.org", "x\n", "."])
def test_no_host_leads_out_of_the_folder(tmp_path, host):
    with pytest.raises(UsageError, match="host"):
        add_selectors(tmp_path / "rules", host, "drop", [".a"])
    assert not remove_rule(tmp_path / "rules", host)
    assert list(tmp_path.iterdir()) == []


def test_rules_are_found_for_an_international_name(tmp_path):
    path = add_selectors(tmp_path, "straße.de", "drop", [".ad"])
    assert path.name == "xn--strae-oqa.de.toml"
    (rule,) = RuleStore((tmp_path,))("https://straße.de/a")
    assert rule.drop == (".ad",)
    assert RuleStore((tmp_path,))("https://strasse.de/a") == ()
    assert remove_rule(tmp_path, "straße.de")


def test_a_faulty_file_is_not_added_to(tmp_path):
    path = tmp_path / "example.org.toml"
    path.write_text("drop = [\n")
    with pytest.raises(UsageError, match="line 1"):
        add_selectors(tmp_path, "example.org", "drop", [".a"])
    assert path.read_text() == "drop = [\n"
    with pytest.raises(UsageError, match="cannot be used"):
        add_selectors(tmp_path, "other.example", "drop", ["::"])


def test_a_file_that_is_not_text_is_not_added_to(tmp_path):
    (tmp_path / "a.test.toml").write_bytes(b'drop = ["\xff"]')
    with pytest.raises(UsageError, match="cannot be read"):
        store.add_selectors(tmp_path, "a.test", "drop", ["p"])
    with pytest.raises(UsageError, match="cannot be read"):
        store.remove_selectors(tmp_path, "a.test", ["p"])


def test_a_rule_is_removed(tmp_path):
    add_selectors(tmp_path, "example.org", "drop", [".a"])
    assert remove_rule(tmp_path, "example.org")
    assert not remove_rule(tmp_path, "example.org")


MANUALLY_WRITTEN = """\
# Mine.
title = "h1.headline"  # the real one
drop = [
    ".ad",  # the banner
    'a[rel="sponsored"]', ".more",
    "p.teaser"
]
keep = ".note"
"""


@pytest.mark.parametrize(
    ("unwanted", "left"),
    [
        ([".ad"], {"drop": ('a[rel="sponsored"]', ".more", "p.teaser")}),
        (['a[rel="sponsored"]'], {"drop": (".ad", ".more", "p.teaser")}),
        (["p.teaser", ".more"], {"drop": (".ad", 'a[rel="sponsored"]')}),
        ([".note"], {"keep": ()}),
        (["h1.headline"], {"title": ()}),
        ([".ad", 'a[rel="sponsored"]', ".more", "p.teaser"], {"drop": ()}),
    ],
)
def test_one_selector_is_taken_out_and_the_rest_stays(tmp_path, unwanted, left):
    path = tmp_path / "example.org.toml"
    path.write_text(MANUALLY_WRITTEN)
    before = parse_rule(MANUALLY_WRITTEN, "example.org", str(path))
    assert remove_selectors(tmp_path, "example.org", unwanted) == path
    after = parse_rule(path.read_text(), "example.org", str(path))
    for part in ("title", "drop", "keep"):
        assert getattr(after, part) == left.get(part, getattr(before, part))
    assert path.read_text().startswith("# Mine.\n")


def test_the_last_selector_takes_the_file_along(tmp_path):
    path = add_selectors(tmp_path, "example.org", "drop", [".a", "p:has(> b)"])
    remove_selectors(tmp_path, "example.org", [".a", "p:has(> b)"])
    assert not path.exists()


@pytest.mark.parametrize("host", ["../x", "other.example", ""])
def test_only_existing_rules_can_be_removed(tmp_path, host):
    path = add_selectors(tmp_path, "example.org", "drop", [".a"])
    before = path.read_text()
    with pytest.raises(UsageError, match="you have no rules"):
        remove_selectors(tmp_path, host, [".a"])
    with pytest.raises(UsageError, match="is not in"):
        remove_selectors(tmp_path, "example.org", [".a", ".b"])
    assert path.read_text() == before


def test_files_are_switched_off_and_on_and_deleted(tmp_path):
    (tmp_path / "example.org.toml").write_text('drop = ".ad"\n')
    (tmp_path / ".example.net.txt").write_text("strip: //p\n")
    (tmp_path / "notes.off").write_text("not rules")
    for name in ("example.org.toml", ".example.net.txt"):
        switch_file(tmp_path, name, enabled=False)
    shelf = RuleStore((tmp_path,))
    assert shelf("https://example.org/") == shelf("https://www.example.net/") == ()
    assert [(rule.host, rule.drop, on) for rule, on in list_files(tmp_path)] == [
        ("example.net", ("//p",), False), ("example.org", (".ad",), False),
    ]  # fmt: skip
    switch_file(tmp_path, "example.org.toml.off", enabled=True)
    switch_file(tmp_path, "example.org.toml", enabled=True)
    assert [rule.drop for rule in shelf("https://example.org/")] == [(".ad",)]
    (tmp_path / "example.org.toml.off").write_text('drop = ".old"\n')
    with pytest.raises(UsageError, match="already"):
        switch_file(tmp_path, "example.org.toml", enabled=False)
    delete_file(tmp_path, "example.org.toml.off")
    for name in ("../secret", "notes.off", "missing.org.toml"):
        with pytest.raises(UsageError, match="no rules"):
            delete_file(tmp_path, name)
    assert len(list_files(tmp_path)) == 2
