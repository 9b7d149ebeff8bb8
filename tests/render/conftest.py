"""Printing for tests: a document that draws a warning fails the test, unless it is expected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

import pikepdf
import pypdfium2
import pytest

from printer.article import Article
from printer.options import PrintOptions
from printer.output import Picture, PreparedPictures
from printer.render import math
from printer.render.book import render_articles
from printer.render.context import RenderContext
from printer.render.math import Drawing
from printer.render.math import _typeset as typeset
from printer.render.worker_pool import RenderPool


@dataclass(frozen=True, slots=True)
class Paper:
    """A printed document, opened."""

    pdf: pikepdf.Pdf
    pages: int
    texts: tuple[str, ...]
    warnings: tuple[str, ...]
    data: bytes

    @property
    def text(self) -> str:
        """All text, folded, with hyphens at line ends undone."""
        joined = "\n".join(self.texts).replace("\r\n", "\n").replace("\ufffe\n", "")
        return " ".join(joined.replace("\ufffe", "").replace("\u200b", "").split())

    def picture_of(self, page: int, scale: float = 1.0) -> Any:
        """Draw a page as grey pixels."""
        document = pypdfium2.PdfDocument(self.data)
        try:
            return document[page].render(scale=scale).to_numpy()[..., :3].mean(axis=2)
        finally:
            document.close()


Print = Callable[..., Paper]


@pytest.fixture(scope="session")
def press() -> Iterator[RenderPool]:
    """The processes that lay out several articles, the same for all tests."""
    with RenderPool(fork=False) as presses:
        yield presses


@cache
def _drawn(keys: tuple[tuple[str, bool], ...]) -> list[Drawing]:
    return typeset(list(keys))


@pytest.fixture(autouse=True)
def formulas_drawn_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the drawings of formulas, but for tests of these: a process is started for each print."""
    if request.path.name != "test_math.py":
        monkeypatch.setattr(math, "_typeset", lambda keys: _drawn(tuple(keys)))


@pytest.fixture(scope="session")
def printed(press: RenderPool) -> Print:
    """Print articles; fail on any warning that ``expect`` does not name."""

    def print_(
        *articles: Article,
        pictures: Mapping[str, Picture] | None = None,
        expect: tuple[str, ...] = (),
        **options: str,
    ) -> Paper:
        prepared = PreparedPictures(pictures or {})
        print_options = PrintOptions(**options)
        several = press if len(articles) > 1 else None
        result = render_articles(
            RenderContext.of(articles, print_options), lambda _: prepared, several
        )
        unexpected = [w for w in result.warnings if not any(part in w for part in expect)]
        assert not unexpected, f"the print warned: {unexpected}"
        for part in expect:
            assert any(part in w for w in result.warnings), f"no warning says {part!r}"
        document = pypdfium2.PdfDocument(result.pdf)
        texts = tuple(page.get_textpage().get_text_range() for page in document)
        document.close()
        pdf = pikepdf.open(BytesIO(result.pdf))
        return Paper(pdf, result.pages, texts, result.warnings, result.pdf)

    return print_
