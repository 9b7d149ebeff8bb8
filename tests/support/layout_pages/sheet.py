"""A page being written, with a label for every segment of its text.

``keep``   the article's running text, headings and tables inside it
``drop``   everything else that a page shows or hides
``caption``  a caption or credit: not running text, and not counted as missing
``either``  the title above the article, pull quotes: counted on neither side

Labels are noted as the page is written, in the order of the document; of a text that stands in
several places each has its own.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape, unescape

from tests.support.layout_pages.words import CAPTIONS, ENGLISH, HEADLINES


@dataclass
class LabeledPage:
    """Gives words to a page and notes what they are; ``number`` seeds the choice."""

    number: int
    sentences: Sequence[str] = tuple(ENGLISH)
    labels: dict[str, deque[str]] = field(default_factory=lambda: defaultdict(deque))
    files: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chance = random.Random(self.number)
        self._chance = chance
        # Neighbouring sentences stay together, so that paragraphs read as such.
        start = chance.randrange(len(self.sentences))
        self._text = [*self.sentences[start:], *self.sentences[:start]]
        self._heads = chance.sample(HEADLINES, len(HEADLINES))
        self._captions = chance.sample(CAPTIONS, len(CAPTIONS))

    def note(self, html: str, label: str) -> str:
        """Note the label of a piece of markup that is one segment."""
        text = " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())
        self.labels[text].append(label)
        return html

    def keep(self, html: str) -> str:
        return self.note(html, "keep")

    def drop(self, html: str) -> str:
        return self.note(html, "drop")

    def either(self, html: str) -> str:
        return self.note(html, "either")

    def words(self, count: int = 1) -> str:
        """Return the next unused sentences."""
        sentences, self._text = self._text[:count], self._text[count:]
        assert sentences, "the page needs more sentences than there are"
        return escape(" ".join(sentences), quote=False)

    def para(self, count: int = 3, link: bool = False) -> str:
        """A paragraph of the article, with a link in it if asked."""
        text = self.words(count)
        if link:
            first, _, remainder = text.partition(" ")
            second, _, remainder = remainder.partition(" ")
            text = f'{first} <a href="/topic">{second}</a> {remainder}'
        return self.keep(text)

    def paras(self, counts: str, tag: str = "p", attrs: str = "") -> str:
        """Paragraphs, as short as newspapers set them: "3l 4" are five, of three and four sentences
        in paragraphs of two or one, the first with a link in it."""
        return "\n".join(
            f"<{tag} {attrs}>{self.para(size, linked and not at)}</{tag}>"
            for count, linked in (
                (int(number[0]), number.endswith("l")) for number in counts.split()
            )
            for at, size in enumerate([2] * (count // 2) + [1] * (count % 2))
        )

    def title(self) -> str:
        return self.either(self._heads.pop())

    def head(self) -> str:
        """A heading inside the article."""
        return self.keep(self._heads.pop())

    def headline(self) -> str:
        """The headline of another story."""
        return self.drop(self._heads.pop())

    def caption(self) -> str:
        return self.note(self._captions.pop(), "caption")

    def teaser(self, count: int = 1) -> str:
        """The summary of another story: text like the article's that is not its."""
        return self.drop(self.words(count))

    def links(self, count: int, tag: str = "li", attrs: str = "") -> str:
        """Headlines of other stories, each a link."""
        return "\n".join(
            f'<{tag} {attrs}><a href="/s/{n}">{self.headline()}</a></{tag}>' for n in range(count)
        )

    def menu(self, names: str, tag: str = "li") -> str:
        """Entries of a menu."""
        return "\n".join(
            f'<{tag}><a href="/{name.lower()}">{self.drop(name)}</a></{tag}>'
            for name in names.split()
        )

    def picture(self, width: int, height: int, tint: str = "9ab", name: str = "") -> str:
        """An ``img`` of that size, or the address of one when it is named."""
        path = f"/pic{self.number}-{len(self.files)}.svg"
        self.files[path] = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
            f'<rect width="100%" height="100%" fill="#{tint}"/></svg>',
            "image/svg+xml",
        )
        return path if name else f'<img src="{path}" width={width} height={height} alt="">'

    def serve(self, path: str, body: str, media_type: str = "text/html; charset=utf-8") -> str:
        """Add another file that the page requests."""
        self.files[path] = (body, media_type)
        return path
