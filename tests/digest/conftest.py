"""Digests for tests: with a temporary database and without real rendering."""

import json
import tomllib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache

import pytest

from printer.digest.builder import IssueBuilder
from printer.digest.config import parse_digests
from printer.digest.runner import build_issue, run_digest
from printer.digest.scheduler import IssueWorkflow
from printer.digest.selection import StoryHistory
from printer.errors import RenderError
from printer.jobs.storage import Storage
from printer.render.context import Document
from printer.render.weasy.engine import render_pdf
from printer.settings import Settings


@pytest.fixture
def memory(tmp_path):
    with closing(StoryHistory(str(tmp_path / "digests.sqlite"))) as memory:
        yield memory


@cache
def empty_pages(count):
    """A PDF of so many pages with nothing on them."""
    style = "<style>div + div { break-before: page }</style>"
    return render_pdf(Document(f"<html lang=en><title>-</title>{style}{'<div>.</div>' * count}"))


@dataclass
class Recorded:
    """Steps whose results are kept in a list, in JSON as by DBOS."""

    results: list
    run_count: int = 0
    slept: float = 0.0

    def run(self, name, function):
        self.run_count += 1
        if self.run_count > len(self.results):
            self.results.append((name, json.dumps(function())))
        recorded, result = self.results[self.run_count - 1]
        assert recorded == name
        return json.loads(result)

    def sleep(self, seconds):
        self.slept += seconds


@dataclass
class _Pool:
    """Stands in for the processes that extract, in this one, and render."""

    render_all: Callable
    size: int = 1

    def run(self, _step, function, *arguments):
        return function(*arguments)


@dataclass
class Desk:
    """Runs digests at times that a test names, and lays nothing out."""

    memory: StoryHistory
    settings: Settings
    documents: list = field(default_factory=list)
    sent: list = field(default_factory=list)
    refuse: tuple = ()
    too_hard: str = ""
    storage: str = ""
    steps: dict = field(default_factory=dict)

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

    def builder(self):
        return IssueBuilder(self.settings, self.memory, pool=_Pool(self.render_all))

    def serve(self, digest, now, slot):
        """Make the issue for a slot; again, it goes on after the last step that was recorded."""
        workflow = IssueWorkflow(
            {digest.name: digest}, self.memory, Storage(self.storage), self.settings,
            lambda digest, now: build_issue(self.builder(), digest, now), print, self.deliver, lambda: now,
        )  # fmt: skip
        return workflow.run(f"{slot:.0f}", digest.name, Recorded(self.steps.setdefault(slot, [])))

    def run(self, digest, now):
        return run_digest(self.builder(), digest, now, lambda issue, result: "here", self.deliver)

    def issue(self, digest, now, **more):
        builder = IssueBuilder(self.settings, self.memory, **more)
        with builder.printer(digest) as printer:
            return builder.build(digest, now, printer)


@pytest.fixture
def desk(memory, tmp_path):
    reading_list = str(tmp_path / "later.txt")
    settings = Settings(render="never", cache=False, reading_list=reading_list)
    return Desk(memory, settings, storage=str(tmp_path / "prints"))
