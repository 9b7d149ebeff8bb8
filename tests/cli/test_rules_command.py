"""The commands for site rules, and prints that follow the rules."""

import json

import pytest

from tests.support.story_page import SENTENCE, story_page

LETTER = f"A letter from the harbour comes each morning with the boat. {SENTENCE}"
PAGE = story_page(extra=f"<div class=inlay><p>{LETTER}</p></div>")


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


@pytest.fixture
def rules(home_folder):
    return home_folder / ".config/webprint/rules"


def test_a_rule_is_added_listed_tested_followed_and_removed(webprint, page, rules):
    place = ("--url", "https://www.example.org/a")
    assert "No rules yet" in webprint("rules")[1]
    code, out, _ = webprint("rules", "add", "example.org", "--drop", ".inlay", "--drop", ".more")
    assert (code, out.strip()) == (0, str(rules / "example.org.toml"))
    assert "example.org: 2 drop" in webprint("rules", "list")[1]
    code, out, _ = webprint("rules", "test", page, *place)
    assert code == 0
    assert f"drop .inlay ({rules / 'example.org.toml'}): 1 on the page" in out
    assert "drop .more" in out
    assert f"  - {LETTER[:40]}" in out
    sizes = [int(line.split()[3]) for line in out.splitlines() if line.startswith("with")]
    assert sizes[0] - sizes[1] == len(LETTER.split())
    assert LETTER.strip() not in webprint("extract", page, *place, "-t", "text")[1]
    assert LETTER.strip() in webprint("extract", page, *place, "-t", "text", "--no-rules")[1]
    assert LETTER.strip() in webprint("extract", page, "-t", "text")[1]
    out = json.loads(webprint("explain", page, *place, "--json")[1])
    assert [s["rule"] for s in out["segments"] if "letter from" in s["text"]] == [
        f"drop .inlay ({rules / 'example.org.toml'})"
    ]
    assert webprint("rules", "remove", "example.org", ".more")[0] == 0
    assert "example.org: 1 drop" in webprint("rules", "list")[1]
    assert webprint("rules", "remove", "example.org", ".more")[0] == 2
    assert webprint("rules", "remove", "example.org")[0] == 0
    assert webprint("rules", "remove", "example.org")[0] == 2
    assert "There is no rule for" in webprint("rules", "test", page, *place)[1]


def test_rules_of_another_folder(webprint, page, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "example.org.txt").write_text("strip: //div[@class='inlay']\n")
    place = ("--url", "https://example.org/a", "-t", "text")
    assert LETTER.strip() not in webprint("extract", page, *place, "--rules", "more")[1]
    code, _, err = webprint("extract", page, *place, "--rules", "nowhere")
    assert code == 2
    assert "not a folder" in err


def test_a_faulty_rule_file_is_reported_and_the_page_printed(webprint, page, rules):
    rules.mkdir(parents=True)
    (rules / "example.org.toml").write_text('drop = [\n  ".inlay",\n  "p:hover",\n]\n')
    code, out, err = webprint("extract", page, "--url", "https://example.org/a", "-t", "text")
    assert code == 0
    assert "line 3: 'p:hover' cannot be used" in err
    assert LETTER.strip() not in out
    code, _, err = webprint("rules", "list")
    assert (code, err.count("line 3")) == (2, 1)


@pytest.mark.parametrize("call", [("add", "example.org", "--drop", "p:hover"),
                                  ("add", "../x", "--drop", "p")])  # fmt: skip
def test_invalid_rules_are_refused(webprint, rules, call):
    code, _, err = webprint("rules", *call)
    assert code == 2
    assert "cannot be used" in err or "not the name of a host" in err
    assert not rules.exists()


def test_a_rule_file_cannot_control_a_terminal(webprint, rules):
    rules.mkdir(parents=True, exist_ok=True)
    (rules / "example.org.toml").write_text('drop = ["p[\\u001b[31m"]\n"k\\u001b[31m" = 1\n')
    code, out, err = webprint("rules", "list")
    assert code == 2
    assert "example.org.toml" in err
    assert "\x1b" not in out + err
