"""Of the pictures of a thing that a shop lists, one is printed."""

from __future__ import annotations

from printer.html.page import read_page
from printer.images import place_pictures, select_pictures
from printer.options import ExtractOptions
from printer.selection import Verdict

URL = "https://shop.example.org/oars"


def pictures(html: str) -> list[str]:
    page = read_page(f"<html lang=en><title>Oars</title><body><main>{html}</main>", URL)
    verdict = Verdict((True,) * len(page.segments), kind="listing")
    selection = select_pictures(page, verdict, ExtractOptions())
    return [placed.figure.src.rpartition("/")[2] for placed in place_pictures(page, selection)]


def thing(number: int, price: str) -> str:
    views = "".join(
        f"<div class=view><img src=/{view}{number}.jpg width=600 height=600 alt=Oar></div>"
        for view in ("front", "back")
    )
    return f"<li class=thing><a>{views}</a><h3>Oar number {number}</h3><p>{price}</p></li>"


def test_the_first_picture_of_a_thing_in_a_shop_is_enough() -> None:
    shop = "".join(thing(number, f"{number} €") for number in range(4))
    assert pictures(f"<ul>{shop}</ul>") == [f"front{number}.jpg" for number in range(4)]


def test_all_pictures_of_things_without_prices_and_of_few_things_stay() -> None:
    album = "".join(thing(number, "Ash, from the upper river") for number in range(4))
    assert len(pictures(f"<ul>{album}</ul>")) == 8
    few = "".join(thing(number, f"{number} €") for number in range(2))
    assert len(pictures(f"<ul>{few}</ul>")) == 4


def test_a_choice_of_colors_with_the_price_is_part_of_the_thing() -> None:
    shop = "".join(
        f"<li class=thing><div><img src=/oar{n}.jpg width=600 height=600 alt=Oar></div>"
        f"<h3>Oar {n}</h3><p>From the river</p><div class=colors>"
        f"<a><img src=/red{n}.jpg width=600 height=600></a><p>{n} €</p></div></li>"
        for n in range(4)
    )
    assert pictures(f"<ul>{shop}</ul>") == [f"oar{n}.jpg" for n in range(4)]
