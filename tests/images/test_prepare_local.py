from pathlib import Path

from printer.article import Figure
from printer.images.prepare import prepare_pictures
from printer.session import Session

PICTURES = Path(__file__).parent.parent.parent / "samples" / "news" / "img"


def test_a_saved_page_prints_the_pictures_beside_it(tmp_path):
    (tmp_path / "harbour.jpg").write_bytes((PICTURES / "harbour-960.jpg").read_bytes())
    page = (tmp_path / "page.html").as_uri()
    figure = Figure((tmp_path / "harbour.jpg").as_uri())
    with Session() as session:
        prepared = prepare_pictures([(figure, page)], session.get_resource)
    assert prepared.warnings == ()
    assert prepared.pictures[figure.src].media_type == "image/jpeg"


def test_a_page_from_the_web_prints_no_file_of_this_computer(tmp_path):
    (tmp_path / "harbour.jpg").write_bytes((PICTURES / "harbour-960.jpg").read_bytes())
    figure = Figure((tmp_path / "harbour.jpg").as_uri())
    with Session() as session:
        prepared = prepare_pictures([(figure, "https://example.org/page")], session.get_resource)
    assert prepared.pictures == {}
    (warning,) = prepared.warnings
    assert "has no address" in warning


def test_a_saved_page_prints_no_file_outside_its_folder_and_says_so(tmp_path):
    (tmp_path / "harbour.jpg").write_bytes((PICTURES / "harbour-960.jpg").read_bytes())
    (tmp_path / "saved").mkdir()
    figure = Figure((tmp_path / "harbour.jpg").as_uri())
    page = (tmp_path / "saved/page.html").as_uri()
    with Session() as session:
        prepared = prepare_pictures([(figure, page)], session.get_resource)
    (warning,) = prepared.warnings
    assert warning.endswith("was not read: the page refers to a file outside its own folder")
