"""The dots of contents: one text, where WeasyPrint would have drawn each by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pypdfium2
import pytest

from printer.options import PrintOptions
from printer.render import leaders
from printer.render.context import RenderContext, build_front_matter
from printer.render.weasy.engine import render_pdf
from tests.support.sample_articles import SPECIMEN, para


def front(language: str) -> bytes:
    names = ("The mill", "What the river took and what it left behind, as told by those " * 2, "A")
    articles = [
        replace(SPECIMEN, title=name, blocks=(para("It rose."),), language=language)
        for name in names
    ]
    whole = RenderContext.of(articles, PrintOptions())
    entries = [whole.part(*each) for each in enumerate(articles)]
    return render_pdf(
        build_front_matter(whole, [replace(e, page=7 * n) for n, e in enumerate(entries)])
    ).pdf


@pytest.mark.parametrize("language", ["en", "ar"])
def test_dots_stand_where_they_did(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    joined = front(language)
    with monkeypatch.context() as patch:
        patch.setattr(leaders, "NEAR", -1.0)
        apart = front(language)
    drawn = []
    for pdf in (joined, apart):
        document = pypdfium2.PdfDocument(pdf)
        try:
            drawn.append(document[0].render(scale=2).to_numpy()[..., :3].mean(axis=2))
        finally:
            document.close()
    assert len(joined) < len(apart)
    assert drawn[0].min() < 128
    assert np.abs(drawn[0] - drawn[1]).mean() < 0.05
