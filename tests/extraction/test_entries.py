"""The entries of a list have the same parts: a name, a price, details."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection

import pytest

from printer.extraction.entries import (
    add_declared_steps,
    add_entry_prices,
    add_live_times,
    add_names,
    add_opening_list,
    add_product_price,
    add_recipe_parts,
    complete_entries,
    is_listing,
)
from printer.extraction.selected_text import SelectedText
from printer.html.page import read_page
from tests.support.selections import run_pass

NAMES = ("Oar", "Sail", "Rope", "Net", "Buoy", "Keel")
CARD = "<div class=card><h3>{0}</h3><p class=of>Of {0}</p><p class=wood>{1}</p><a>{2}</a></div>"


def completed(
    html: str, selected: Collection[str], *, score: float = 0.3, kind: str = "listing"
) -> list[str]:
    """Return the lines that are added to a choice by text, each the first time it occurs."""
    page = read_page(f"<html><body>{html}</body></html>")
    texts = [segment.text for segment in page.segments]
    keep = [text in selected and text not in texts[:i] for i, text in enumerate(texts)]
    flags = run_pass(complete_entries, page, keep, [score] * len(keep), kind=kind)
    return [text for text, before, after in zip(texts, keep, flags, strict=True) if after > before]


@pytest.mark.parametrize(("count", "expected"), [(1, 0), (2, 4), (5, 1)])
def test_entries_have_names_if_others_have(count: int, expected: int) -> None:
    cards = "".join(CARD.format(name, "Ash", "Buy") for name in NAMES)
    assert completed(cards, NAMES[:count]) == list(NAMES[6 - expected :])


def test_a_likely_part_is_completed_though_few_lines_are_selected() -> None:
    names = [f"Boat {chr(97 + n)}" for n in range(12)]
    cards = "".join(f"<div><h3>{name}</h3></div>" for name in names)
    assert completed(cards, names[:2]) == []
    assert completed(cards, names[:2], score=0.4) == names[2:]
    assert completed(cards, names[:6], score=0.2) == []


def test_on_other_pages_most_of_a_part_must_be_selected() -> None:
    cards = "".join(CARD.format(name, "Ash", "Buy") for name in NAMES)
    assert completed(cards, NAMES[:5], kind="article") == ["Keel"]
    assert completed(cards, NAMES[:4], kind="article") == []


def test_the_values_of_a_product_are_completed_also_those_that_recur() -> None:
    sizes = {"Flat": ("1 mm", "2 mm", "3 mm"), "Hex": ("1 mm", "3 mm", "5 mm"), "Star": ("T4",)}
    groups = "".join(
        f"<div><p>{name}</p><div class=sizes>{''.join(f'<b><div>{v}</div></b>' for v in values)}</div>"
        "</div>"
        for name, values in sizes.items()
    )
    assert completed(groups, ["1 mm", "2 mm"], kind="product") == [
        "3 mm",
        "1 mm",
        "3 mm",
        "5 mm",
        "T4",
    ]
    assert completed(groups, ["1 mm", "2 mm"], kind="article") == []
    assert completed(groups, ["1 mm"], kind="product") == []


def test_buttons_and_copied_entries_are_not_completed() -> None:
    labels = ["Buy", "Rent", "Sold out", "Sold out", "Sold out", "Sell"]
    cards = [CARD.format(n, "Ash", label) for n, label in zip(NAMES, labels, strict=True)]
    assert completed("".join(cards), ["Buy", "Rent"]) == ["Sell"]
    names = "".join(cards) + "".join(cards)
    assert completed(names, NAMES) == []
    form = "".join(f"<p><button>{name}</button></p>" for name in NAMES)
    assert completed(form, NAMES[:3]) == []
    choices = "".join(f"<li><input type=radio><label>{name}</label></li>" for name in NAMES)
    assert completed(f"<ul>{choices}</ul>", NAMES[:3]) == []


def test_names_that_several_entries_have_are_completed() -> None:
    job = "<div class=job><h5>{0}</h5><h3>{1}</h3><p>{2} hours</p><p>{2} days</p></div>"
    names = ["Marl", "Reed", "Marl", "Weir", "Ash", "Marl", "Oak", "Elm"]
    jobs = "".join(job.format(name, f"Miller {n}", n) for n, name in enumerate(names))
    selected = [*(f"{n} hours" for n in range(8)), *(f"{n} days" for n in range(8)), "Reed", "Ash"]
    assert completed(jobs, selected, score=0.4) == ["Marl", "Marl", "Weir", "Marl", "Oak", "Elm"]


def test_rows_of_either_shade_and_those_folded_away_are_completed() -> None:
    rows = "".join(
        f"<a class='row {('odd', 'even')[n % 2]}' href=/{name}><div class=name>{name}</div></a>"
        for n, name in enumerate(NAMES)
    )
    assert completed(f"<div style='display:none'>{rows}</div>", NAMES[:5], kind="article") == [
        "Keel"
    ]


def test_what_entries_share_is_completed() -> None:
    woods = ["Ash", "Oak", "Ash", "Ash", "Oak", "Ash"]
    cards = [CARD.format(name, wood, "Buy") for name, wood in zip(NAMES, woods, strict=True)]
    assert completed("".join(cards), [*NAMES, "Ash", "Oak"]) == woods[2:]


@pytest.mark.parametrize(("count", "expected"), [(1, 0), (2, 2), (4, 6), (6, 6)])
def test_a_label_that_recurs_is_selected_in_all_entries_or_in_none(
    count: int, expected: int
) -> None:
    cards = "".join(
        f"<div class=card><h3>{name}</h3><p class=badge>Sold out</p></div>" for name in NAMES
    )
    page = read_page(f"<html><body>{cards}</body></html>")
    keep = [s.block.tag == "h3" or s.index < 2 * count for s in page.segments]
    flags = run_pass(complete_entries, page, keep, [0.3] * len(keep), kind="listing")
    selected = [s for s, flag in zip(page.segments, flags, strict=True) if flag]
    assert sum(s.text == "Sold out" for s in selected) == expected


TEXT = "The shop is by the harbour, and it opens at dawn on every day of the week."


def named(html: str, *, score: float = 0.3, kind: str = "listing") -> list[str]:
    """Return the names that are added if the texts of entries are selected, and other names."""
    page = read_page(f"<html><body>{html}</body></html>")
    keep = [TEXT in s.text or s.text.startswith("The") for s in page.segments]
    flags = run_pass(add_names, page, keep, [score] * len(keep), kind=kind)
    return [
        s.text
        for s, before, after in zip(page.segments, keep, flags, strict=True)
        if after > before
    ]


@pytest.mark.parametrize(
    "name", ["<a href=/{0}><strong>{0}</strong></a>", "<div class=name>{0}</div>", "<h4>{0}</h4>"]
)
def test_entries_with_selected_text_have_their_names(name: str) -> None:
    cards = "".join(f"<li>{name.format(n)}<p>{TEXT} {n}.</p></li>" for n in NAMES)
    assert named(f"<ul>{cards}</ul>") == list(NAMES)
    assert named(f"<ul>{cards}</ul>", score=0.1) == []


def test_a_name_is_no_button_and_no_line_that_recurs() -> None:
    cards = "".join(f"<li><div>New</div><p>{TEXT} {n}.</p></li>" for n in NAMES)
    assert named(f"<ul>{cards}</ul>") == []
    cards = "".join(f"<li><button>{n}</button><p>{TEXT} {n}.</p></li>" for n in NAMES)
    assert named(f"<ul>{cards}</ul>") == []
    cards = "".join(f"<li><div>{n}</div><p>Sold.</p></li>" for n in NAMES)
    assert named(f"<ul>{cards}</ul>") == []


@pytest.mark.parametrize(("other_stories", "title"), [(3, ["Bread is late"]), (2, [])])
def test_a_story_among_others_with_titles_has_its_title(
    other_stories: int, title: list[str]
) -> None:
    story = f"<article><h2>The {{}}</h2><div><p>{TEXT} Yes.</p></div></article>"
    stories = "".join(story.format(name) for name in NAMES[:other_stories])
    last = f"<article><h2><a href=/b>Bread is late</a></h2><div><p>{TEXT}</p></div></article>"
    untold = "<article><h2>Salt</h2><p>Sold out.</p></article>"
    missing = "" if title else last.replace("Bread", "Salt") * 2
    around = f"<article>{stories}{last}{missing}{untold}</article>"
    assert named(around, score=0.0, kind="article")[:1] == title


@pytest.mark.parametrize(("href", "expected"), [("/{}", True), ("https://b.example/{}", False)])
def test_a_page_of_entries_that_link_to_pages_of_the_site_is_a_listing(
    href: str, expected: bool
) -> None:
    entry = f"<li><a href={href}>Episode {{}}</a><p>{TEXT} {{}}.</p></li>"
    entries = "".join(entry.format(n, n, n) for n in range(5))
    page = read_page(f"<ul>{entries}</ul><p>{TEXT}</p>", "https://a.example/show")
    assert is_listing(SelectedText(page, [True] * len(page.segments))) is expected
    assert not is_listing(SelectedText(page, [s.block.tag == "p" for s in page.segments]))


def test_entries_are_completed_in_linear_time() -> None:
    page = read_page("<ul>" + "<li><b>Oar</b><p>Ash</p>" * 20_000 + "</ul>")
    keep = [True, *[False] * (len(page.segments) - 1)]
    started = time.process_time()
    run_pass(complete_entries, page, keep, [0.5] * len(keep), kind="listing")
    run_pass(add_names, page, keep, [0.5] * len(keep), kind="listing")
    assert time.process_time() - started < 2


def added_prices(html: str, add: Callable[[SelectedText], None] = add_entry_prices) -> list[str]:
    """Return the lines that are added to the selected headings of a list."""
    page = read_page(f"<html><body>{html}</body></html>")
    keep = tuple(segment.block.tag == "h3" for segment in page.segments)
    flags = run_pass(add, page, keep, kind="product")
    return [
        s.text
        for s, before, after in zip(page.segments, keep, flags, strict=True)
        if after > before
    ]


def test_prices_below_selected_names_are_added() -> None:
    card = "<div><h3>{0}</h3><p class=new>New</p><p class=price>{1}</p><p>Add to cart</p></div>"
    things = {"Oar": "$30", "Sail": "from 1.299,00 €", "Rope": "£4.50 £3.00", "Net": "99 kr"}
    cards = "".join(card.format(*thing) for thing in things.items())
    assert added_prices(cards) == list(things.values())
    assert added_prices(card.format("Oar", "$30") * 2) == []
    euros = (cards + card.format("Net", "USD 30.50")).replace("<p class=new>New</p>", "", 1)
    assert added_prices(euros) == [*things.values(), "USD 30.50"]
    unnamed = "<p class=price>$5</p>" * 9
    assert added_prices(unnamed + cards) == []


def test_the_missing_prices_of_a_list_are_added_below_lines_of_any_look() -> None:
    entry = "<h3>Oar</h3>{0}<p class=price>$30</p>".format
    html = "".join(map(entry, ("", "<p>Of ash</p>", "<div>Of oak</div>", "<p>Ash</p>" * 5)))
    page = read_page(f"<body>{html}</body>")
    prices = [segment.index for segment in page.segments if segment.text == "$30"]
    keep = [segment.index not in prices[1:] for segment in page.segments]
    keep[prices[-1] - 4 : prices[-1]] = [False] * 4
    flags = run_pass(add_entry_prices, page, keep)
    assert [flags[i] for i in prices] == [True, True, True, False]


def test_a_name_of_an_unlikely_heading_is_added() -> None:
    cards = "".join(
        f"<div><h3>{name}</h3><p>{name} is of ash. {'Ash ' * 9}</p></div>" for name in NAMES
    )
    page = read_page(f"<body>{cards}</body>")
    keep = [segment.block.tag == "p" for segment in page.segments]
    for score, found in ((0.17, 6), (0.1, 0)):
        flags = run_pass(add_names, page, keep, [score] * len(keep), kind="listing")
        assert sum(flags) - sum(keep) == found


@pytest.mark.parametrize("price", ["$79.00Price $ 79.00", "$$299", "30", "$" + "9" * 40])
def test_other_lines_below_names_are_no_prices(price: str) -> None:
    assert added_prices(f"<h3>Oar</h3><p class=price>{price}</p>" * 4) == []


def test_the_ranges_of_a_filter_are_no_prices() -> None:
    assert added_prices("<h3>Price</h3><ul><li>$25 - $50<li>$50 - $75<li>$75 - $90</ul>") == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("<p>4.8 stars</p><p>$30</p><p>$6</p>", ["$30"]),
        (
            "<p class=price>1.399,00 €</p><p class=price>1.299,90 €</p><p>ab 40 € frei</p>",
            ["1.299,90 €"],
        ),
        ("<p class=price>From: £2.98</p><p>£3.50</p>", ["From: £2.98"]),
        ("<p>Free delivery over $75</p><p>$39/mo</p>", ["$39/mo"]),
        ("<h3>Oar $30</h3><p>$30</p>", []),
        ("<p>Ash</p>" * 10 + "<p>$30</p>", []),
        ("<p>$3.4.5.6</p>", ["$3.4.5.6"]),
        ("<p>No price</p>", []),
    ],
)
def test_the_price_below_the_name_of_a_product_is_added(lines: str, expected: list[str]) -> None:
    assert (
        added_prices(f"<h1>Shop</h1>{'<p>Menu</p>' * 10}<h1>Oar</h1>{lines}", add_product_price)
        == expected
    )


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("<time>21:0{0}</time><mark>Tam Reed</mark>", 4),
        ("21.0{0} Uhr", 4),
        ("21:0{0}:30 of 50:00", 0),
        ("<a href=/{0}>21:0{0} The ferry</a>", 0),
        ("On day {0}", 0),
    ],
)
def test_the_entries_of_a_live_report_have_their_times(line: str, count: int) -> None:
    entries = "".join(f"<div>{line.format(i)}</div><p>The boat is at mile {i}.</p>" for i in "1234")
    teasers = "<div>22:15</div><div>Other news</div>"
    page = read_page(f"<body>{entries}{teasers}</body>")
    keep = [segment.text.startswith("The boat") for segment in page.segments]
    assert sum(run_pass(add_live_times, page, keep)) == sum(keep) + count
    assert sum(run_pass(add_live_times, page, [*keep[:4], *[False] * (len(keep) - 4)])) == 2


@pytest.mark.parametrize(("names", "count"), [("add_to_cart", 1), ("menu", 0)])
def test_an_article_about_a_product_for_sale_has_its_price(names: str, count: int) -> None:
    html = f"<h1>Oar</h1><p>$48</p><button class={names}>Take it</button><p>It is of ash.</p>"
    page = read_page(f"<body>{html}</body>")
    assert sum(run_pass(add_product_price, page, [False] * 4)) == count


STEP = "Rub the oats between your hands until nothing of the husk is left on them."
RECIPE = f"""<h1>Oat loaf</h1><div class=recipe-stats><div class="stat total-time">Total: 3 hours</div></div>
    <div class="votes total">7 votes</div>
    <div class=recipe-card><h2 class=recipe-name>The loaf</h2><p>Our best.</p>
    <div class=servings><span>Serves</span><span>4</span></div>
    <div class=recipe-ingredients><h3>Ingredients <button>2x</button></h3>
    <div class=unit-conversion>Metric</div><ul><li>500 g oats</li><li><a href=/salt>Salt</a></li></ul></div>
    <div class=recipe-instructions><h3>Method</h3><div class=ad>Buy a mixer.</div><b>1.</b>
    <ol><li>{STEP}</li><li><a href=/film>Watch the film</a></li></ol></div>
    <h3>Notes</h3><div class=notes>Oat loaf<br>Keeps a week.</div>
    <h3>More loaves</h3><div class=related>Rye</div></div>"""


def recipe_parts(html: str, *, kind: str = "article") -> list[str]:
    """Return the lines that are added as parts of recipes to an empty choice."""
    page = read_page(html)
    flags = run_pass(add_recipe_parts, page, [False] * len(page.segments), kind=kind)
    return [s.text for s, flag in zip(page.segments, flags, strict=True) if flag]


def test_a_recipe_has_the_parts_that_its_markup_names_without_its_controls() -> None:
    assert recipe_parts(RECIPE) == [
        "Total: 3 hours", "The loaf", "Serves 4", "Ingredients", "500 g oats", "Salt", "Method",
        STEP, "Notes", "Keeps a week.",
    ]  # fmt: skip


def test_ingredients_without_steps_or_outside_a_recipe_are_no_recipe() -> None:
    assert not recipe_parts(RECIPE.replace(STEP, "Eat."))
    other = RECIPE.replace("recipe-", "box-")
    assert not recipe_parts(other)
    linked = '<script type="application/ld+json">{"@type": "Recipe"}</script>'
    assert STEP in recipe_parts(linked + other)


@pytest.mark.parametrize(
    "box", ["reviews", "cart", "newsletter sign-up", "sidebar", "user-notes", "delivery"]
)
def test_what_readers_or_shops_add_to_a_recipe_is_no_part_of_it(box: str) -> None:
    other = f"<div class='{box}'><div class=steps><p>Far too much salt for me.</p></div></div>"
    assert "Far too much salt for me." not in recipe_parts(RECIPE[: -len("</div>")] + other)
    facts = f"<h1>Oat loaf</h1><div class='{box}'><div class=servings>Crowns: 5</div></div>"
    assert "Crowns: 5" not in recipe_parts(RECIPE.replace("<h1>Oat loaf</h1>", facts))


def test_a_whole_page_or_page_of_offers_is_a_recipe_only_if_json_ld_says_so() -> None:
    linked = '<script type="application/ld+json">{"@type": "Recipe"}</script>'
    page = "<body class=recipe>" + RECIPE.replace("recipe-card", "card")
    parts = re.sub("<div class=recipe-(?=[im])", "<div class=", page)
    facts = "<h1>Oat loaf</h1><div class=yield>The rye yields 5 %</div>"
    assert not recipe_parts(parts)
    assert STEP in recipe_parts(f"{linked}{parts}")
    assert not recipe_parts(RECIPE, kind="product")
    assert STEP in recipe_parts(f"{linked}{RECIPE}", kind="product")
    assert "The rye yields 5 %" not in recipe_parts(RECIPE.replace("<h1>Oat loaf</h1>", facts))


def test_a_recipe_is_the_innermost_element_around_its_parts_and_few_levels_above_them() -> None:
    other = "<div class=recipe-ingredients><ul><li>Salt of the sea</li></ul></div>"
    parts = recipe_parts(f"<div class=recipes>{other}{RECIPE}</div>")
    assert "Salt of the sea" not in parts
    assert "500 g oats" in parts
    for levels, is_found in ((6, True), (8, False)):
        box = f"{'<div>' * levels}<div class=recipe-ingredients>"
        deep = RECIPE.replace("<div class=recipe-ingredients>", box)
        deep = deep.replace(
            "Salt</a></li></ul></div>", f"Salt</a></li></ul></div>{'</div>' * levels}"
        )
        assert (STEP in recipe_parts(deep)) is is_found


def test_times_above_the_title_and_boxes_in_an_item_are_no_parts_of_a_recipe() -> None:
    assert "Total: 3 hours" not in recipe_parts(
        RECIPE.replace("Total: 3 hours", "", 1).replace(
            "<h1>", "<div class=recipe-stats><div class=total-time>Total: 3 hours</div></div><h1>"
        )
    )
    boxes = RECIPE.replace("<b>1.</b>", "<div>Taste the oats</div>")
    parts = recipe_parts(f"<ul><li>{boxes}</li></ul>")
    assert STEP in parts
    assert "Taste the oats" not in parts


def test_the_parts_of_recipes_are_found_in_linear_time() -> None:
    recipes = RECIPE * 800 + "<div class=recipe-ingredients><div class=steps>" * 200
    start = time.process_time()
    recipe_parts(recipes)
    assert time.process_time() - start < 4


def test_the_ingredients_and_steps_that_json_ld_gives_are_added() -> None:
    section = f'{{"@type": "HowToSection", "itemListElement": [{{"text": "{STEP}"}}]}}'
    data = f'"recipeIngredient": ["500 g of oats", "Salt"], "recipeInstructions": [{section}]'
    script = f'<script type="application/ld+json">{{"@type": "Recipe", {data}}}</script>'
    lines = f"<a>Salt</a><p>500 g of oats</p><h3>The husks</h3><p>{STEP}</p><button>{STEP}</button>"
    page = read_page(script + lines)
    flags = run_pass(add_declared_steps, page, [False] * len(page.segments))
    assert flags == (False, True, True, True, False)
    page = read_page(script.replace("Recipe", "Article") + lines)
    assert not any(run_pass(add_declared_steps, page, [False] * len(page.segments)))


def declared_steps(html: str, *steps: str, keep: Collection[int] = ()) -> list[int]:
    """Return the lines that are added to some lines of a page whose JSON-LD gives steps."""
    recipe = {"@type": "Recipe", "recipeInstructions": steps}
    script = f'<script type="application/ld+json">{json.dumps(recipe)}</script>'
    page = read_page(f"{script}{html}")
    before = [i in keep for i in range(len(page.segments))]
    flags = run_pass(add_declared_steps, page, before)
    return [i for i, flag in enumerate(flags) if flag > before[i]]


def test_of_two_copies_of_a_recipe_that_json_ld_gives_one_is_added() -> None:
    steps = [f"{STEP} Wait {n} minutes." for n in range(4)]
    copy = "".join(f"<p>{step}</p>" for step in steps)
    html = f"<main>{copy}</main><aside><h3>Cook now</h3>{copy}</aside>"
    assert declared_steps(html, *steps) == [0, 1, 2, 3]
    assert declared_steps(html, *steps, keep=[6]) == [4, 5, 7, 8]
    assert declared_steps(html, *steps, keep=[0, 1, 2, 3]) == []
    assert declared_steps(f"<p>{steps[0]}</p>{html}", *steps) == [1, 2, 3, 4]
    twice = f"{copy}<p>{steps[0]}</p>"
    assert declared_steps(twice * 2, *steps, steps[0]) == [0, 1, 2, 3, 4]
    assert declared_steps(twice, *steps) == [0, 1, 2, 3]


def test_links_and_lines_of_dashes_are_no_declared_steps() -> None:
    links = f"<h3>Shop</h3><a href=/oats>{STEP}</a>"
    assert declared_steps(f"<p>------------</p>{links}", f"{STEP}\n\nBake.") == []
    assert declared_steps(f"{links}<p>{STEP}</p>", f"{STEP}\n\nBake.") == [2]
    assert declared_steps(f"<footer><p>{STEP}</p></footer>", STEP) == []


POINTS = "<h2>Key points</h2><ul><li>Boats rest in winter.</li><li>Ropes do not.</li></ul>"


@pytest.mark.parametrize(
    ("above", "score", "count"),
    [
        (POINTS, 0.7, 3),
        (POINTS.replace("h2", "p"), 0.7, 2),
        (POINTS, 0.5, 0),
        (POINTS.replace("Ropes", "<a href=/r>Ropes</a>"), 0.7, 0),
        (POINTS + POINTS.replace("do not", "do"), 0.7, 0),
        (POINTS + "<h1>Ropes</h1>", 0.7, 0),
    ],
)
def test_the_only_likely_list_above_the_text_is_added_with_its_heading(
    above: str, score: float, count: int
) -> None:
    page = read_page(f"<body><h1>Boats</h1>{above}<p>{TEXT}</p></body>")
    keep = [TEXT in segment.text for segment in page.segments]
    assert sum(run_pass(add_opening_list, page, keep, [score] * len(keep))) == 1 + count
