"""Pages of a digest extracted in worker processes."""

import pickle
from contextlib import closing

import pytest

from printer.errors import HTTPStatusError, NotHTML
from printer.render.worker_pool import RenderPool
from tests.support.feeds import moment, page, rss
from tests.support.web_server import Reply


@pytest.fixture(scope="module")
def presses():
    with closing(RenderPool(fork=False)) as presses:
        yield presses


def test_worker_processes_give_the_same_result(web, desk, presses):
    entries = []
    for n in range(6):
        picture = "<figure><img src=/boat.png width=600 height=400></figure>"
        web.add(f"/{n}", page(f"Story {n}", extra=picture) if n != 3 else "<html></html>")
        entries.append((f"Story {n}", f"{web.url}/{n}", moment(1, n)))
    web.add("/4", Reply("", 404))
    web.add("/feed.xml", rss("Town", entries))
    digest = desk.digest(f'[[digest.source]]\nfeed = "{web.url}/feed.xml"\n')
    here = desk.issue(digest, moment(2, 0))
    in_processes = desk.issue(digest, moment(2, 0), extractor=presses)
    assert [story.article for story in in_processes.stories] == [
        story.article for story in here.stories
    ]
    assert [story.article.title for story in in_processes.stories] == [
        f"Story {n}" for n in (5, 2, 1, 0)
    ]
    assert in_processes.problems == here.problems
    assert {name for name, _ in in_processes.problems} == {"Story 3", "Story 4"}
    pages = [story.page.source for story in in_processes.stories]
    assert not any(story.page.html for story in in_processes.stories), (
        "pages that were read are held until all is set"
    )
    assert len({page.sha256 for page in pages}) == len(pages)


def test_errors_go_from_process_to_process():
    for error in (
        HTTPStatusError("no", status=404, url="https://example.org/", hint="Ask"),
        NotHTML("a picture", media_type="image/png"),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
