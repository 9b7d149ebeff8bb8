"""A digest's parts as tests need them: no database but one of their own, and no real layout."""

import tomllib
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache

import pytest

from printer.digest.builder import IssueBuilder
from printer.digest.config import parse_digests
from printer.digest.history import History
from printer.digest.runner import Runner
from printer.errors import RenderError
from printer.render.context import Document
from printer.render.weasy.engine import render_pdf
from printer.settings import Settings


@pytest.fixture
def memory(tmp_path):
    with closing(History(str(tmp_path / "digests.sqlite"))) as memory:
        yield memory


@cache
def empty_pages(count):
    """A PDF of so many pages with nothing on them."""
    style = "<style>div + div { break-before: page }</style>"
    return render_pdf(Document(f"<html lang=en><title>-</title>{style}{'<div>.</div>' * count}"))


@dataclass
class Desk:
    """Runs digests at times that a test names, and lays nothing out."""

    memory: History
    settings: Settings
    documents: list = field(default_factory=list)
    sent: list = field(default_factory=list)
    refuse: tuple = ()
    too_hard: str = ""

    def digest(self, text):
        text = f'[[digest]]\nname = "week"\n{text}'
        (digest,) = parse_digests(text, tomllib.loads(text), "webprint.toml")
        return digest

    def render_all(self, documents):
        """Stand in for presses: note what is to be set, and give empty pages for it."""
        for document in documents:
            self.documents.append(document.html)
            if self.too_hard and self.too_hard in document.html and "<article" in document.html:
                yield RenderError("it is too hard")
                continue
            count = document.html.count
            yield empty_pages(max(1, count("<article") + count('class="sheet"')))

    def deliver(self, delivery, to, settings):
        if self.refuse:
            raise self.refuse[0]
        self.sent.append(delivery)
        return to.folder

    def runner(self, now):
        editor = IssueBuilder(self.settings, self.memory, renderer=self)
        return Runner(editor, self.memory, self.settings, lambda: now, self.deliver)

    def run(self, digest, now, slot=None):
        if slot is not None:
            return self.runner(now).run_slot(digest, slot)
        return self.runner(now).run(digest, lambda issue, result: "here")

    def issue(self, digest, now, **more):
        builder = IssueBuilder(self.settings, self.memory, **more)
        with builder.printer(digest) as printer:
            return builder.build(digest, now, printer)


@pytest.fixture
def desk(memory, tmp_path):
    reading_list = str(tmp_path / "later.txt")
    return Desk(memory, Settings(render="never", cache=False, reading_list=reading_list))
