"""The API of a running server."""

import base64
import io
import json

import pikepdf
import pytest
from PIL import Image

from tests.support.story_page import story_page
from tests.support.web_server import Reply

HTML = story_page("Sent by a program")


@pytest.fixture(scope="module")
def done(server):
    """A finished print."""
    answer = server.submit(url="https://example.org/sent", html=HTML, options={"paper": "A5"})
    assert answer.status_code == 202, answer.text
    job = server.wait_finished(answer.json()["id"])
    assert job["state"] == "done", job
    return job


def test_a_page_is_printed(server, web):
    answer = server.submit(url=web.add("/story", story_page()))
    assert answer.status_code == 202
    assert answer.json()["state"] == "queued"
    assert answer.headers["location"] == f"/api/prints/{answer.json()['id']}"
    job = server.wait_finished(answer.json()["id"])
    assert job["title"] == "Harbour lights go dark"
    assert job["result"]["pages"] >= 1


def test_the_password_of_an_address_is_used_and_not_revealed(server, web):
    def answer(hit):
        is_user = hit.headers.get("authorization") == "Basic bmFtZTpzM2NyZXQ="
        return Reply(story_page()) if is_user else Reply("<p>Who?", 401)

    url = web.add("/members", answer).replace("//", "//name:s3cret@")
    answers = [server.submit(url=url)]
    print_id = answers[0].json()["id"]
    assert server.wait_finished(print_id)["state"] == "done"
    paths = f"api/prints/{print_id}", "api/prints", f"prints/{print_id}", "", "opds/prints"
    answers += [server.client.get(f"/{path}") for path in paths]
    assert [answer.status_code for answer in answers] == [202, 200, 200, 200, 200, 200]
    assert not [answer.text for answer in answers if "s3cret" in answer.text]
    assert "s3cret" not in server.log_text()


def test_its_pdf_its_article_and_its_first_page(server, done):
    pdf = server.client.get(done["links"]["pdf"])
    assert pdf.headers["content-type"] == "application/pdf"
    assert "Sent%20by%20a%20program.pdf" in pdf.headers["content-disposition"]
    with pikepdf.open(io.BytesIO(pdf.content)) as opened:
        assert len(opened.pages) == done["result"]["pages"]
        assert float(opened.pages[0].mediabox[2]) == pytest.approx(419.5, abs=1)
    article = server.client.get(done["links"]["article"])
    assert article.json()["title"] == "Sent by a program"
    picture = server.client.get(done["links"]["first-page"])
    drawn = Image.open(io.BytesIO(picture.content))
    assert drawn.width == 480
    assert len(set(drawn.convert("L").tobytes())) > 2, "an empty page"
    assert server.client.get(done["links"]["first-page"]).content == picture.content
    saved = server.client.get(done["links"]["pdf"], params={"download": True})
    assert saved.headers["content-disposition"].startswith("attachment")


def test_a_print_may_be_another_format(server):
    answer = server.submit(url="https://example.org/e", html=HTML, options={"format": "epub"})
    assert answer.status_code == 202, answer.text
    job = server.wait_finished(answer.json()["id"])
    assert job["state"] == "done", job
    assert set(job["links"]) == {"self", "events", "file", "article"}
    file = server.client.get(job["links"]["file"])
    assert file.headers["content-type"] == "application/epub+zip"
    assert file.content.startswith(b"PK")
    assert ".epub" in file.headers["content-disposition"]
    for name in ("pdf", "first-page"):
        refused = server.client.get(f"{job['links']['self']}/{name}")
        assert refused.status_code == 404
        assert "it was not printed as a PDF" in refused.text
    assert server.client.get(f"/prints/{job['id']}").status_code == 200


def test_it_is_listed(server, done):
    listed = server.client.get("/api/prints", params={"state": "done"}).json()
    assert done["id"] in [job["id"] for job in listed]
    assert server.client.get("/api/prints", params={"state": "cancelled"}).json() == []


def test_a_print_is_followed_by_events(server):
    print_id = server.submit(url="https://example.org/followed", html=HTML).json()["id"]
    events = []
    with server.client.stream("GET", f"/api/prints/{print_id}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith("data: "):
                events.append(json.loads(line[6:]))
    assert events[-1]["state"] == "done"
    assert [e["state"] for e in events] == sorted(
        (e["state"] for e in events), key=["queued", "running", "done"].index
    )


def test_pictures_that_come_with_a_page_are_printed(server):
    file = io.BytesIO()
    Image.linear_gradient("L").resize((400, 300)).save(file, "PNG")
    sent = "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
    address = "https://members.example.org/harbour.png"
    page = story_page("With its picture", f"<figure><img src='{address}'></figure>")
    order = {"url": "https://example.org/pictures", "html": page, "pictures": {address: sent}}
    job = server.wait_finished(server.submit(**order).json()["id"])
    assert job["result"]["pictures"] == 1, job["result"]["warnings"]


def test_a_key_makes_one_print(server):
    order = {"url": "https://example.org/once", "html": HTML}
    first, again = (server.submit(**order, key="one") for _ in range(2))
    assert first.json()["id"] == again.json()["id"]
    other = server.submit(url="https://example.org/other", html=HTML, key="one")
    assert other.status_code == 422
    assert "another request" in other.json()["detail"]


def test_a_print_that_fails_says_why_and_is_tried_again(server, web):
    url = f"{web.url}/later"
    print_id = server.submit(url=url).json()["id"]
    job = server.wait_finished(print_id)
    assert job["error"]["kind"] == "HTTPStatusError"
    assert server.client.get(f"/api/prints/{print_id}/pdf").status_code == 409
    web.add("/later", story_page())
    assert server.client.post(f"/api/prints/{print_id}/retry").status_code == 202
    assert server.wait_finished(print_id)["state"] == "done"
    again = server.client.post(f"/api/prints/{print_id}/retry")
    assert again.status_code == 409


def test_a_print_is_deleted_with_its_files(server):
    print_id = server.submit(url="https://example.org/gone", html=HTML).json()["id"]
    server.wait_finished(print_id)
    place = server.home / ".local/share/webprint/prints" / print_id
    assert place.is_dir()
    assert server.client.delete(f"/api/prints/{print_id}").status_code == 204
    assert not place.exists()
    for answer in (
        server.client.get(f"/api/prints/{print_id}"),
        server.client.get(f"/api/prints/{print_id}/pdf"),
        server.client.delete(f"/api/prints/{print_id}"),
    ):
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"


PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

BAD = {
    "no page": {},
    "a file": {"url": "file:///etc/passwd"},
    "a path": {"url": "/etc/passwd"},
    "a file that was sent": {"url": "file:///etc/passwd", "html": HTML},
    "an unknown field": {"url": "https://example.org/", "cookies": "/etc/passwd"},
    "an unknown option": {"url": "https://example.org/", "options": {"css": "/etc/passwd"}},
    "a theme by path": {"url": "https://example.org/", "options": {"theme": "/etc"}},
    "a paper that is none": {"url": "https://example.org/", "options": {"paper": "A99"}},
    "a margin that is none": {"url": "https://example.org/", "options": {"margin": "url(x)"}},
    "a number for a name": {"url": "https://example.org/", "options": {"paper": 5}},
    "a long address": {"url": "https://example.org/" + "x" * 5000},
    "a picture without address": {
        "url": "https://example.org/",
        "html": HTML,
        "pictures": {"/etc/passwd": PIXEL},
    },
    "a picture that is a page": {
        "url": "https://example.org/",
        "html": HTML,
        "pictures": {"https://example.org/a.png": "data:text/html;base64,AAAA"},
    },
    "a picture that is no base64": {
        "url": "https://example.org/",
        "html": HTML,
        "pictures": {"https://example.org/a.png": PIXEL + "?"},
    },
    "a picture with a long address": {
        "url": "https://example.org/",
        "html": HTML,
        "pictures": {"https://example.org/" + "x" * 2000: PIXEL},
    },
    "too many pictures": {
        "url": "https://example.org/",
        "html": HTML,
        "pictures": {f"https://example.org/{n}": PIXEL for n in range(101)},
    },
    "a half character": {"url": "https://example.org/\ud800"},
}


@pytest.mark.parametrize("order", BAD.values(), ids=BAD)
def test_an_order_that_makes_no_sense_is_refused(server, order):
    answer = server.client.post(
        "/api/prints", content=json.dumps(order), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == 422
    assert problem["detail"]
    assert "passwd" not in answer.text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"url": NaN}', b"[" * 9999])
def test_a_body_that_is_no_order_is_refused(server, body):
    answer = server.client.post(
        "/api/prints", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "name", ["x", "../../token", "%2e%2e%2ftoken", "0" * 19, "0" * 21, "A" * 20]
)
def test_an_id_that_is_none_is_refused(server, name):
    for end in ("", "/pdf", "/article", "/first-page", "/events"):
        assert server.client.get(f"/api/prints/{name}{end}").status_code in (404, 422)


def test_the_api_is_described_as_it_is(server):
    described = server.client.get("/api/openapi.json").json()
    assert set(described["paths"]["/api/prints"]) == {"get", "post"}
    options = described["components"]["schemas"]["PrintRequestOptions"]["properties"]
    assert {"paper", "theme", "images"} <= set(options)
    assert options["paper"]["description"]
    text = json.dumps(described)
    assert "HTTPValidationError" not in text
    for ref in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert ref in described["components"]["schemas"]


def test_numbers_for_prometheus(server, done):
    answer = server.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    numbers = dict(
        line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#")
    )
    assert float(numbers['webprint_prints{state="done"}']) >= 1
    # The last prints are a window: sums and counts of it would fall, which counters may not.
    assert "# TYPE webprint_print_seconds gauge" in answer.text.splitlines()
    names = [f'webprint_print_seconds{{quantile="{share}"}}' for share in (0.5, 0.95, 1.0)]
    seconds = [float(numbers[name]) for name in names]
    assert 0 <= seconds[0] <= seconds[1] <= seconds[2] < 60  # SQLite gives full seconds
    assert not [name for name in numbers if name.endswith(("_sum", "_count"))]
