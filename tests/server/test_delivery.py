"""A finished print is sent to configured destinations, and nowhere else."""

import json
import re
from urllib.parse import quote

import pytest

from printer.text import file_name
from tests.support.story_page import story_page
from tests.support.web_server import Reply


@pytest.fixture(scope="module")
def settings(server):
    """Write the server's settings file, which takes effect at once."""
    path = server.home / ".config/webprint/webprint.toml"

    def write(text):
        path.write_text(text)

    yield write
    path.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def done(server):
    job = server.submit(url="https://example.org/quay", html=story_page("The quay at night")).json()
    assert server.wait_finished(job["id"])["state"] == "done"
    return job["id"]


@pytest.fixture
def person(server):
    """A browser that has been let in."""
    headers = {"Cookie": server.cookie, "Origin": server.url}
    with server.anonymous_client(**headers, Accept="text/html") as client:
        yield client


def test_without_a_destination_the_page_explains_the_setup(server, settings, done, person):
    settings("")
    assert server.client.get("/api/destinations").json() == []
    form = person.get(f"/prints/{done}/deliver")
    assert "No destination is set up yet" in form.text
    assert "[[send]]" in form.text
    answer = server.client.post(f"/api/prints/{done}/deliver", json={"to": "e-mail"})
    assert answer.status_code == 422
    assert "[[send]]" in answer.json()["hint"]
    assert f"/prints/{done}/deliver" in person.get(f"/prints/{done}").text


def test_it_goes_to_a_folder_and_to_no_other(server, settings, done, person, tmp_path):
    settings(f'[[send]]\nname = "Papers"\nfolder = "{tmp_path}/papers"\n')
    assert server.client.get("/api/destinations").json() == [{"name": "Papers", "kind": "folder"}]
    page = f"/prints/{done}/deliver"
    assert re.findall(r'name="to" value="([^"]+)"', person.get(page).text) == ["Papers"]
    answer = person.post(page, data={"to": "Papers"})
    assert answer.status_code == 303
    assert "Sent: Papers." in person.get(answer.headers["location"]).text
    (delivered,) = (tmp_path / "papers").iterdir()
    assert delivered.name.startswith("The quay at night-")
    assert delivered.read_bytes() == server.client.get(f"/api/prints/{done}/pdf").content
    other_folder = f"{tmp_path}/elsewhere"
    refused = person.post(page, data={"to": other_folder})
    assert refused.status_code == 422
    assert "There is no destination" in refused.text
    assert "Sent" not in person.get(page, params={"sent": "your bank"}).text


def test_as_a_book_where_the_owner_wants_one(server, settings, done, tmp_path):
    settings(f'[[send]]\nname = "reader"\nformat = "epub"\nfolder = "{tmp_path}"\n')
    sent = server.client.post(f"/api/prints/{done}/deliver", json={"to": "reader"})
    assert sent.status_code == 200, sent.text
    (delivered,) = tmp_path.glob("*.epub")
    assert sent.json() == {"delivered": str(delivered)}
    assert b"application/epub+zip" in delivered.read_bytes()[:100]


def test_a_webhook_is_called_and_its_key_stays_secret(server, settings, done, web):
    url = web.add("/secret-key", Reply(status=204))
    settings(f'[[send]]\nwebhook = "{url}"\n')
    (known,) = server.client.get("/api/destinations").json()
    assert known["kind"] == "webhook"
    assert "secret-key" not in known["name"]
    sent = server.client.post(f"/api/prints/{done}/deliver", json={"to": known["name"]})
    assert sent.status_code == 200, sent.text
    (hit,) = web.hits("/secret-key")
    body = json.loads(hit.body)
    assert body["title"] == "The quay at night"
    assert body["print"] == done


def test_where_digests_go_prints_may_go_too(server, settings, tmp_path):
    settings(
        '[[digest]]\nname = "morning"\n[[digest.source]]\nfeed = "https://example.org/feed"\n'
        '[[digest.deliver]]\nprinter = "office"\n[[digest.deliver]]\nmail = "me@example.org"\n'
        '[[send]]\nname = "Desk"\nprinter = "office"\n'
    )
    names = [destination["name"] for destination in server.client.get("/api/destinations").json()]
    assert names == ["Desk", "e-mail to me@example.org"]


def test_a_failed_delivery_is_reported(server, settings, done):
    settings('[[send]]\nname = "me"\nmail = "me@example.org"\n')
    answer = server.client.post(f"/api/prints/{done}/deliver", json={"to": "me"})
    assert answer.status_code == 422
    assert "--smtp" in answer.json()["detail"]
    settings('[[send]]\nname = "me"\nfolder = "/proc/no/such"\n')
    answer = server.client.post(f"/api/prints/{done}/deliver", json={"to": "me"})
    assert answer.status_code == 502
    assert "cannot be written" in answer.json()["detail"]
    settings('[[send]]\nname = "me"\nprintr = "office"\n')
    answer = server.client.get("/api/destinations")
    assert answer.status_code == 422
    assert "line 3: unknown key printr" in answer.json()["detail"]


def test_only_a_page_of_ours_has_it_sent(server, settings, done, tmp_path):
    settings(f'[[send]]\nname = "Papers"\nfolder = "{tmp_path}"\n')
    cookie = server.cookie
    for headers in ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}, {}):
        with server.anonymous_client(Cookie=cookie, **headers) as client:
            page = client.post(f"/prints/{done}/deliver", data={"to": "Papers"})
            api = client.post(f"/api/prints/{done}/deliver", json={"to": "Papers"})
        assert {page.status_code, api.status_code} == {403}
    with server.anonymous_client() as client:
        stranger = client.post(f"/prints/{done}/deliver", data={"to": "Papers"})
    assert stranger.status_code in (401, 429)
    assert list(tmp_path.iterdir()) == []


def test_unfinished_prints_are_not_sent(server, settings, tmp_path):
    settings(f'[[send]]\nname = "Papers"\nfolder = "{tmp_path}"\n')
    job = server.submit(url="https://example.org/none", html="<p>").json()
    assert server.wait_finished(job["id"])["state"] == "failed"
    answer = server.client.post(f"/api/prints/{job['id']}/deliver", json={"to": "Papers"})
    assert answer.status_code == 409
    nothing = server.client.post(f"/api/prints/{'0' * 20}/deliver", json={"to": "Papers"})
    assert nothing.status_code == 404


def test_a_download_and_a_delivery_have_the_name_the_command_line_gives(server, settings, tmp_path):
    title = 'Straße 1/2: "the ferry"? --'
    job = server.submit(url="https://example.org/one", html=story_page(title)).json()
    done = server.wait_finished(job["id"])
    settings(f'[[send]]\nname = "Papers"\nfolder = "{tmp_path}"\n')
    server.client.post(f"/api/prints/{job['id']}/deliver", json={"to": "Papers"})
    (sent,) = tmp_path.iterdir()
    download = server.client.get(done["links"]["pdf"], params={"download": True})
    name = file_name(done["title"])
    assert sent.stem.startswith(f"{name}-2")
    assert f"UTF-8''{quote(name)}.pdf" in download.headers["content-disposition"]
