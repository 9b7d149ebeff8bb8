"""Features from a picture's names, file and link."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.html.page import Page, read_page
from printer.images.candidates import find_candidates
from printer.images.features import FeatureReader, address_features, name_features
from printer.images.papers.cuter import article_bounds
from printer.selection import Verdict

TEXT = "The ferry at Kestermouth will be sold, said the mayor on the quay this morning."


def features_of(html: str, head: str = "") -> frozenset[str]:
    """Return the features of the only picture in an article."""
    page: Page = read_page(
        f"<html><head>{head}</head><body><p>{TEXT}</p>{html}<p>{TEXT}</p></body></html>",
        "https://news.example.org/2024/ferry.html",
    )
    verdict = Verdict(tuple(segment.text == TEXT for segment in page.segments))
    candidates = find_candidates(page)
    bounds = article_bounds(page, verdict)
    assert bounds
    reader = FeatureReader(page, verdict, candidates, bounds)
    (candidate,) = candidates
    return reader.features(candidate)


@given(st.uuids(), st.binary(min_size=16, max_size=16))
def test_a_random_name_has_no_words(identifier: uuid.UUID, data: bytes) -> None:
    for name in (str(identifier), str(identifier).upper(), identifier.hex, data.hex()):
        if any(map(str.isdigit, name)):
            assert not address_features(f"https://img.example.org/2024/{name}.jpeg")


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("ad-slot", "named as advertising"),
        ("adSlot2", "named as advertising"),
        ("AAABg8tMOLk", ""),
        ("Zg2gF7PndxwiFVHfFfxM7M", ""),
        ("a-d", ""),
        ("icon24", "named as an icon"),
        ("message-userContent", "named as content"),
        ("user-name", "named as a portrait"),
        ("site-heroBanner__image", "named as a lead"),
        ("blog-banner", "named as a lead"),
    ],
)
def test_words_are_read_from_names_but_not_from_identifiers(name: str, feature: str) -> None:
    assert name_features(name) == (frozenset({feature}) if feature else frozenset())


def test_the_folder_in_which_drupal_keeps_all_files_has_no_feature() -> None:
    assert not address_features("https://example.org/sites/default/files/2024/boat.jpg")
    assert not address_features("https://example.org/fileadmin/user_upload/2024/boat.jpg")
    assert address_features("https://example.org/img/default.jpg") == {"file of nothing"}
    assert "file of a portrait" in address_features("https://example.org/user/boat.jpg")


@pytest.mark.parametrize(
    ("path", "features"),
    [
        ("2024/Ferry-Analytics.png", set()),
        ("analytics/boat.gif", {"from a host of ads"}),
        ("2024/quay-1200px-900px.png", set()),
        ("2024/px/quay.png", {"from a host of ads"}),
        ("2024/harbour-analytics/quay.png", set()),
        (f"{'x' * 57}/advent/quay.png", set()),
        ("icon512x512_KM.jpg", {"file of an icon"}),
        ("2024/quay-hero-banner.jpg", {"file of a lead"}),
        ("2024/quay-banner.jpg", {"file of an ad"}),
    ],
)
def test_words_are_read_where_they_say_something(path: str, features: set[str]) -> None:
    assert address_features(f"https://example.org/{path}") == features


def test_a_gif_is_suspicious_only_if_it_is_small_or_of_unknown_size() -> None:
    assert "a GIF file" in features_of('<img src="/a.gif" width="90" height="60">')
    assert "a GIF file" in features_of('<img src="/a.gif">')
    assert "a GIF file" not in features_of('<img src="/a.gif" width="640" height="360">')
    assert "a GIF file" not in features_of('<img src="/p/Wave-2.gif" alt="wave-2.gif">')


@pytest.mark.parametrize("name", ["zoom-in.svg", "icon-expand.svg", "bookmark.png", "lupe.svg"])
def test_drawings_of_the_interface_are_icons(name: str) -> None:
    assert "file of an icon" in features_of(f'<img src="/{name}">')


@pytest.mark.parametrize(
    ("href", "feature"),
    [
        ("https://social.example.net/sharer/sharer.php?u=x", "linked for sharing"),
        ("https://social.example.net/intent/post?text=x", "linked for sharing"),
        ("mailto:?subject=x", "linked for sharing"),
        ("/2024/shareholders-meet.html", "linked within the site"),
        ("https://other.example.net/?u=/share", "linked elsewhere"),
    ],
)
def test_links_for_sharing(href: str, feature: str) -> None:
    found = features_of(f'<a href="{href}"><img src="/a.jpg"></a>')
    assert {name for name in found if name.startswith("linked")} == {feature}


def test_the_name_of_the_site_is_that_of_its_logo() -> None:
    head = '<meta property="og:site_name" content="Kestermouth Times">'
    assert "alt names the site" in features_of('<img src="/a.png" alt="Kestermouth Times">', head)
    assert "alt names the site" not in features_of('<img src="/a.png" alt="The ferry">', head)


def test_a_letter_before_a_number_ends_no_word() -> None:
    assert not address_features("https://example.org/vis/a004900/HarbourMap.jpg")
    assert address_features("https://example.org/pay-pal/map.jpg") == {"file of an ad"}
