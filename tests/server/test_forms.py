"""Forms: every option has an effect, and plain labels."""

import json
from typing import get_args

import pytest

from printer.errors import BadURL, UsageError
from printer.jobs import JobRequest, merge_options, validate_request
from printer.jobs.queue import NO_ROOM
from printer.output import Step
from printer.server import forms
from printer.settings import Settings

ALL = (*forms.MAIN_OPTIONS, *forms.MORE_OPTIONS, *forms.KEY_OPTIONS)


@pytest.mark.parametrize("name", [name for name in ALL if name not in forms.KEY_OPTIONS[1:]])
def test_every_choice_is_accepted_and_does_something(name):
    (field,) = forms.make_fields([name], Settings())
    values = [value for value, _ in field.choices if value != field.value]
    values = ["yes" if not field.value else "no"] if field.is_switch else values
    assert values
    for value in values:
        request = JobRequest("https://example.org/", {name: value})
        merged = validate_request(request, Settings())
        assert getattr(merged, name) != getattr(Settings(), name), value


def test_names_are_words():
    fields = forms.make_fields(ALL, Settings())
    assert len({field.label for field in fields}) == len(fields)
    for field in fields:
        assert "_" not in field.label
        assert field.label.lower() not in ("nup", "qr", "pdf", "fit", "render")
        assert all(words and "_" not in words for _, words in field.choices), field
    (theme,) = forms.make_fields(["theme"], Settings())
    assert set(theme.pictures) == {value for value, _ in theme.choices}, "each has its picture"


def test_every_step_of_a_print_has_words():
    steps = {"queued", "running", *get_args(Step), "store", NO_ROOM}
    assert set(forms.WORDS["steps"]) == steps
    assert all(words[0].isupper() and "_" not in words for words in forms.WORDS["steps"].values())


def test_the_value_in_force_is_always_a_choice():
    settings = Settings(paper="190x250mm", font_size="13pt", fit=7, set=("columns=2", "font=Inter"))
    fields = {field.name: field for field in forms.editor_fields(settings)}
    assert fields["columns"].value == "2"
    for field in fields.values():
        assert field.value in dict(field.choices), field
    changed = forms.theme_assignments(settings, {"columns": "", "picture_size": "0.5"})
    assert changed == ("font=Inter", "pictures=0.5")
    merge_options(settings, {"set": changed}).print_options()


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org/story", "https://example.org/story"),
        ("  http://example.org/a b ", "http://example.org/a"),
        ("//example.org", "https://example.org"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        (
            "A story worth your while https://example.org/s?a=1 from an app",
            "https://example.org/s?a=1",
        ),
        ("münchen.example/straße", "https://münchen.example/straße"),
        ("", None),
        ("harbour", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("two words.and dots", None),
    ],
)
def test_an_address_needs_no_scheme(typed, url):
    if url is None:
        with pytest.raises(BadURL):
            forms.typed_url(typed)
    else:
        assert forms.typed_url(typed) == url


def test_options_are_described_as_in_the_form():
    described = forms.describe_options(
        {"nup": 2, "qr": True, "set": ["columns=2"], "links": "endnote"}
    )
    assert described == [
        ("Pages per sheet", "2"), ("QR code for your phone", "yes"),
        ("Theme options", "columns=2"), ("Links", "At the end"),
    ]  # fmt: skip
    assert forms.in_words("--nup must be 1, 2 or 4") == "“Pages per sheet” must be 1, 2 or 4"


@pytest.mark.parametrize("values", [["columns"], ["columns=2"] * 21, ["font=" + "x" * 300], [1]])
def test_options_of_the_theme_are_checked_at_the_door(values):
    with pytest.raises(UsageError):
        validate_request(JobRequest("https://example.org/", {"set": values}), Settings())


def test_a_refused_form_keeps_its_input_and_explains_the_error(server):
    sent = {"url": "harbour", "paper": "A5", "theme": "compact", "nup": "2"}
    answer = server.client.post("/prints", data=sent, headers={"Accept": "text/html"})
    assert answer.status_code == 422
    assert "“harbour” is not the address of a web page." in answer.text
    assert 'value="harbour"' in answer.text
    assert '<option value="A5" selected>' in answer.text
    both = {"url": "example.org", "booklet": "yes", "nup": "4"}
    answer = server.client.post("/prints", data=both, headers={"Accept": "text/html"})
    message = "A booklet always has two pages on a side. Leave out “Pages per sheet”."
    assert message in answer.text


def test_a_phone_installs_it_and_shares_pages_to_it(server):
    with server.anonymous_client() as client:
        manifest = json.loads(client.get("/static/manifest.webmanifest").text)
        for icon in manifest["icons"]:
            assert client.get(f"/static/{icon['src']}").headers["content-type"] == "image/png"
    share = manifest["share_target"]
    assert share["action"] == "../print"
    shared = {share["params"]["text"]: "Read this: https://example.org/shared"}
    page = server.client.get("/print", params=shared).text
    assert 'value="https://example.org/shared"' in page
    assert "manifest.webmanifest" in page
    assert "/static/icon-32.png" in page


def test_a_saved_option_that_is_no_longer_valid_costs_no_other(server):
    file = server.home / ".local/share/webprint/defaults.json"
    file.write_text(json.dumps({"theme": "deleted", "paper": "A5", "fit": 3}))
    try:
        page = server.client.get("/settings", headers={"Accept": "text/html"}).text
    finally:
        file.unlink()
    label = forms.WORDS["labels"]["theme"]
    assert f"No longer valid, so the default applies: {label}." in page
    assert '<option value="A5" selected' in page


def test_damaged_options_are_the_default_ones(server):
    file = server.home / ".local/share/webprint/defaults.json"
    file.write_text("[" * 9_000)
    try:
        assert server.client.get("/settings", headers={"Accept": "text/html"}).status_code == 200
    finally:
        file.unlink()
