"""Pictures on the command line: which were selected, and why the others were not."""

from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import pikepdf
import pytest
from PIL import Image

from tests.support.story_page import SENTENCE, story_page


def png(width: int, height: int) -> bytes:
    pixels = np.random.default_rng(width).integers(0, 255, (height, width, 3), dtype=np.uint8)
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


FIGURE = (
    '<figure><img src="/{0}.png" alt="A {0}"><figcaption>The {0} at dawn.</figcaption></figure>'
)


@pytest.fixture
def page(web) -> str:
    for name, size in (("ferry", (400, 300)), ("quay", (300, 200)), ("dot", (9, 9))):
        web.add(f"/{name}.png", png(*size), media_type="image/png")
    pictures = "".join(FIGURE.format(name) for name in ("ferry", "quay", "lost"))
    return web.add(
        "/story",
        story_page(extra=f'{pictures}<p>{SENTENCE}<img src="/dot.png"></p><p>{SENTENCE}</p>'),
    )


def test_the_last_line_counts_selected_and_missing_pictures(webprint, page, tmp_path):
    code, _, err = webprint(page, "out.pdf")
    assert code == 0
    assert "out.pdf: 2 pages, 2 of 4 pictures printed (1 could not be fetched), all " in err
    assert "lost.png could not be fetched" in err


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("none", set()), ("lead", {"ferry"}), ("article", {"ferry", "quay"}),
        ("all", {"ferry", "quay"}),
    ],
)  # fmt: skip
def test_the_option_images_selects_pictures(webprint, page, tmp_path, monkeypatch, option, names):
    monkeypatch.setenv("WEBPRINT_IMAGES", option)
    assert webprint(page, "out.pdf")[0] == 0
    with pikepdf.open(tmp_path / "out.pdf") as pdf:
        streams = [
            pdf_object for pdf_object in pdf.objects if isinstance(pdf_object, pikepdf.Stream)
        ]
        widths = {int(stream.Width) for stream in streams if stream.get("/Subtype") == "/Image"}
    assert widths == {{"ferry": 400, "quay": 300}[name] for name in names}


def test_images_takes_four_words(webprint, page):
    code, _, err = webprint(page, "out.pdf", "--images", "some")
    assert code == 2
    assert "lead" in err
    code, _, err = webprint(page, "out.pdf", "--image-method", "guess")
    assert code == 2
    assert "cuter" in err
    code, _, err = webprint(page, "out.pdf", "--ner", "gate")
    assert code == 2
    assert "spacy:MODEL" in err


def test_rejected_pictures_are_remembered_between_runs(webprint, web, page):
    for run in (1, 2):
        webprint(page, "out.pdf", "--force")
        assert len(web.hits("/dot.png")) == 1, f"run {run}"
    webprint(page, "out.pdf", "--no-cache")
    assert len(web.hits("/dot.png")) == 2


def test_explain_lists_every_picture(webprint, page):
    code, out, _ = webprint("explain", page, "--json")
    assert code == 0
    pictures = {picture["alt"] or "dot": picture for picture in json.loads(out)["pictures"]}
    assert pictures["A ferry"]["keep"]
    assert pictures["A ferry"]["caption"] == "The ferry at dawn."
    assert pictures["dot"] == {
        "url": page.replace("/story", "/dot.png"), "kind": "image", "keep": False,
        "reason": "too small (9 x 9 pixels)", "caption": "", "credit": "", "alt": "",
        "width": 0, "height": 0,
    }  # fmt: skip
    _, out, _ = webprint("explain", page)
    assert "3 of 4 pictures kept" in out
    assert "rejected for its size before" in out


def test_extract_fetches_no_picture(webprint, web, page):
    assert webprint("extract", page)[0] == 0
    assert not web.hits("/ferry.png")
