"""Lists, tables, verse and code that are drawn with other elements; shortcodes and notices."""

from __future__ import annotations

import time

import pytest
from lxml.html import HtmlElement

from printer.article import Block, Code, List, Paragraph, Table, iter_text
from printer.html.index import is_recipe_fact
from printer.html.page import read_page
from tests.support.compose_html import compose_article

LINES = ("import depth", "def volume(posts):", "    return sum(posts) * 7")
VERSE = ("The silt comes down in winter", "and lies upon the stone,")


def blocks(html: str) -> tuple[Block, ...]:
    return compose_article(f"<p>Before.</p>{html}<p>After.</p>").blocks[1:-1]


def texts(html: str) -> list[str]:
    return [text for text in iter_text(*blocks(html)) if text]


def test_roles_name_the_parts_of_a_table() -> None:
    (table,) = blocks(
        "<div role=table><div role=rowgroup><div role=row><span role=columnheader>Post</span>"
        "<span role=columnheader>Depth</span></div></div><div role=rowgroup><div role=row>"
        "<span role=cell>Mole</span><span role=cell>3 m</span></div></div></div>"
    )
    assert isinstance(table, Table)
    assert [list(iter_text(*cell.blocks)) for cells in table.rows for cell in cells] == [
        ["Post"], ["Depth"], ["Mole"], ["3 m"],
    ]  # fmt: skip


def test_links_that_stand_in_a_list_without_items_are_its_items() -> None:
    links = "<a href=/mole>The mole</a> <a href=/pier><i>The pier</i></a>"
    (listed,) = blocks(f"<ul>{links}</ul>")
    assert isinstance(listed, List)
    assert [list(iter_text(*item.blocks)) for item in listed.items] == [["The mole"], ["The pier"]]
    assert texts(f"<ul>Both: {links}</ul>") == ["Both: The mole The pier"]


PAIR = "<div class=row><div class=flex><div>{}<button></button></div><div>{}</div></div></div>"


def test_boxes_of_labels_and_values_are_a_table() -> None:
    pairs = [("Height", "3 cm"), ("Weight", "650 g"), ("Colour", "blue")]
    (table,) = blocks(f"<div>{''.join(PAIR.format(*pair) for pair in pairs)}</div>")
    assert isinstance(table, Table)
    cells = [[list(iter_text(*cell.blocks)) for cell in row] for row in table.rows]
    assert cells == [[[label], [value]] for label, value in pairs]


@pytest.mark.parametrize(
    "pairs",
    [
        [("Height", "3 cm"), ("Weight", "650 g")],
        [("1.", "a bell"), ("2.", "a lamp"), ("3.", "a rope")],
        [("The mole", "<a href=/m>read</a>"), ("The silt", "now"), ("The bell", "soon")],
        [("Posted", "3 May 2024"), ("Updated", "4 May 2024"), ("Time to read", "5 minutes")],
        [("Learn", "how " * 30), ("Build", "what " * 30), ("Teach", "why " * 30)],
    ],
)
def test_other_boxes_of_two_texts_are_no_table(pairs: list[tuple[str, str]]) -> None:
    rows = "".join(PAIR.format(*pair) for pair in pairs)
    assert not any(isinstance(block, Table) for block in blocks(f"<div>{rows}</div>"))


@pytest.mark.parametrize(
    "html",
    [
        f"<div class='code-block'>{''.join(f'<div>{line}</div>' for line in LINES)}</div>",
        f"<div class='language-python'>{''.join(f'<div>{line}</div>' for line in LINES)}</div>",
    ],
)
def test_code_without_pre(html: str) -> None:
    (code,) = blocks(html.replace("    ", "&nbsp;" * 4))
    assert isinstance(code, Code)
    assert code.text.split("\n") == list(LINES)


@pytest.mark.parametrize(
    "html",
    [
        f"<div class=poem><div class=stanza><div>{'</div><div>'.join(VERSE)}</div></div></div>",
        f"<blockquote class=verse><p>{'</p><p>'.join(VERSE)}</p></blockquote>",
        "<p style='white-space: pre-line'>{}\n{}</p>".format(*VERSE),
    ],
)
def test_the_lines_of_verse_are_kept(html: str) -> None:
    assert texts(html) == ["\n".join(VERSE)]


def test_long_paragraphs_of_a_class_named_verse_stay_paragraphs() -> None:
    long = (
        "The silt comes down in winter, and nobody on the quay has ever known quite why it does. "
    )
    assert len(texts(f"<div class=verse><p>{long * 2}</p><p>{long * 2}</p></div>")) == 2


def test_the_caption_of_a_quotation_is_its_footer() -> None:
    box = "<div><img src=a.png><figcaption>A. Moor</figcaption></div>"
    for line in ("<figcaption>A. Moor</figcaption>", box):
        figure = f"<figure><blockquote><p>It silts.</p></blockquote>{line}</figure>"
        footer = read_page(f"<body>{figure}".encode(), "").segments[-1].block
        assert (footer.tag, footer.getparent().tag) == ("footer", "blockquote")
    below = f"<figure><blockquote><p>It silts.</p></blockquote><p>Also:</p>{box}</figure>"
    assert read_page(f"<body>{below}".encode(), "").segments[-1].block.tag == "figcaption"


@pytest.mark.parametrize(
    ("line", "is_source"),
    [
        ("<p class=who>A. Moor</p>", True),
        ("<div><img src=a.png></div><p><strong>A. Moor</strong>, of the harbor</p>", True),
        ("<p><strong>A. Moor</strong>, you are mistaken.</p>", False),
        ("<p>It does.</p>", False),
        ("<p class=who>A. Moor</p><p>It does.</p>", False),
        ("<p class=who>A. Moor</p>They dredge it.", False),
        (f"<p class=who>{'He keeps the harbor. ' * 9}</p>", False),
    ],
)
def test_the_line_alone_with_a_quotation_in_a_box_is_part_of_it(line: str, is_source: bool) -> None:
    quotation = f"<div><blockquote>It silts.</blockquote>{line}</div>"
    box = read_page(f"<body><p>The harbor.</p>{quotation}".encode(), "").segments[-1].block
    assert ("source" in box.classes and box.getparent().tag == "blockquote") is is_source


@pytest.mark.parametrize("tag", ["figcaption", "button"])
def test_a_small_portrait_may_be_in_a_caption_or_button(tag: str) -> None:
    portrait = f"<{tag}><img src=a.png width=90></{tag}>"
    quotation = f"<div><blockquote>It silts.</blockquote>{portrait}<p class=who>A. Moor</p></div>"
    assert texts(quotation) == ["It silts.", "A. Moor"]


@pytest.mark.parametrize(("width", "count"), [("80", 0), ("900", 1), ("", 1)])
def test_a_small_portrait_between_a_quotation_and_its_source_is_dropped(
    width: str, count: int
) -> None:
    portrait = f"<div><img src=a.png width='{width}'></div>"
    quotation = f"<div><blockquote>It silts.</blockquote>{portrait}<p class=who>A. Moor</p></div>"
    assert len(list(read_page(f"<body>{quotation}".encode(), "").tree.iter("img"))) == count


def test_a_button_that_is_a_whole_heading_is_its_text() -> None:
    html = "<h2><button><span>A. Moor</span><div><svg></svg></div></button></h2>"
    assert read_page(f"<body>{html}".encode(), "").segments[0].block.tag == "h2"
    marked = "<h3><span id=a></span><button>A. Moor</button><span></span></h3>"
    assert read_page(f"<body>{marked}".encode(), "").segments[0].block.tag == "h3"
    beside = "<h3>A. Moor <button>1x</button></h3>"
    assert len(read_page(f"<body>{beside}".encode(), "").segments) == 2


PART = "<p>The sand comes down with the spring tides, and nobody has ever dredged it away.</p>"


@pytest.mark.parametrize(
    "control",
    [
        "<button aria-controls=part{0}><div>{1}</div><svg></svg></button>",
        "<div><a role=button aria-controls=part{0}>{1}</a></div>",
        "<button aria-controls=part{0}><div><h3>{1}</h3></div></button>",
        "<div role=tab><h3><a role=button data-toggle=collapse href=#part{0}>{1}</a></h3></div>",
        "<h3 role=button aria-controls=part{0}>{1}</h3>",
        "<div><div data-bs-toggle=collapse data-bs-target=#part{0}>{1}</div></div>",
        "<button aria-expanded=false>{1}</button>",
    ],
)
def test_controls_that_unfold_text_are_its_headings(control: str) -> None:
    items = [
        f"<div>{control.format(number, label)}<div id=part{number}>{PART}</div></div>"
        for number, label in enumerate(("Why does it silt?", "When will it close?"))
    ]
    segments = read_page(f"<body><h2>Questions</h2>{''.join(items)}".encode(), "").segments
    tags = [(segment.block.tag, segment.text[:9]) for segment in segments]
    expected = [("h3", "Why does "), ("p", "The sand "), ("h3", "When will"), ("p", "The sand ")]
    assert tags == [("h2", "Questions"), *expected]


def test_controls_of_short_parts_are_headings_too() -> None:
    items = (
        f"<button aria-controls=p{n}>{n}. Lesson</button><div id=p{n}>{text}</div>"
        for n, text in enumerate(("Our course<br>Your own boat", "Yes, every one of you can."))
    )
    segments = read_page(f"<body>{''.join(items)}".encode(), "").segments
    headings = [segment.text for segment in segments if segment.block.tag == "h3"]
    assert headings == ["0. Lesson", "1. Lesson"]


@pytest.mark.parametrize(
    "html",
    [
        f"<button aria-controls=a>Read more</button><div id=a>{PART}</div>",
        f"<button aria-expanded=true>Read more</button><div>{PART}</div>",
        f"<button aria-controls=a>Size</button><div id=a>{PART}<input></div>"
        f"<button aria-controls=b>Color</button><div id=b>{PART}<input></div>",
        f"<button aria-controls=a>More</button><div id=a>{PART}</div>"
        f"<button aria-controls=b>More</button><div id=b>{PART}</div>",
        "<button aria-controls=a>Oak</button><div id=a><a href=/1>Loads of oak from Harrow</a>"
        "<a href=/2>Loads of oak from the mill</a></div>"
        "<button aria-controls=b>Elm</button><div id=b><a href=/3>Loads of elm from Harrow</a>"
        "<a href=/4>Loads of elm from the mill</a></div>",
    ],
    ids=["one", "one unnamed", "filters", "alike", "links"],
)
def test_other_controls_are_no_headings(html: str) -> None:
    segments = read_page(f"<body>{html}".encode(), "").segments
    assert not any(segment.block.tag in ("h2", "h3") for segment in segments)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('[caption id="a_1" width="300"]The dredger[/caption]', ["The dredger"]),
        ("[vc_row][vc_column_text]The lamps.[/vc_column_text][/vc_row]", ["The lamps."]),
        ("[gallery ids=”1,2,3″]", []),
        ('[button link="/buy"]Buy the book[/button]', []),
        ("He said [sic] that [the post] and note [1] were lost.", None),
        ("Write <code>[caption id='1']</code> there.", ["Write [caption id='1'] there."]),
        ("The address is /users/[user_id]/posts.", None),
    ],
)
def test_shortcodes(text: str, rest: list[str] | None) -> None:
    assert texts(f"<p>{text}</p>") == ([text] if rest is None else rest)


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ("<a href=/a target=_blank>report (opens in new tab)</a>", "report"),
        ("<a href=/a target=_blank>Bericht<span>, öffnet in neuem Fenster</span></a>", "Bericht"),
        ("<a href=/a target=_blank><b>rapport</b> (nouvelle fenêtre)</a>", "rapport"),
        ("<a href=/a>a page (new window)</a>", "a page (new window)"),
        ("<a href=/a target=_blank>Sit by the new window</a>", "Sit by the new window"),
        ("<a href=/a target=_blank>New window</a>", "New window"),
    ],
)
def test_notices_that_a_link_opens_a_window(link: str, text: str) -> None:
    assert texts(f"<p>See {link} now.</p>") == [f"See {text} now."]


def test_paragraphs_and_pictures_are_no_lines_of_code() -> None:
    html = "<div class=code><div>One <a href=/a>link</a>.</div><div>Two.</div></div>"
    assert all(isinstance(block, Paragraph) for block in blocks(html))


def test_an_empty_span_that_is_drawn_as_a_break_is_one() -> None:
    mark = '<span class="part br"></span>'
    text = "The silt comes down in winter and settles on the stones of the quay for months."
    assert texts(f"<div>{text}{mark}{text} Again.</div>") == [text, f"{text} Again."]
    assert texts(f'<p>{text}<span class="part">No</span></p>') == [f"{text}No"]


def test_lists_by_role() -> None:
    html = '<div role="list"><div role="listitem">Pier</div><div role="listitem">Mole</div></div>'
    (block,) = blocks(html)
    assert isinstance(block, List)
    assert len(block.items) == 2


def test_controls_without_the_text_that_they_unfold_are_no_headings() -> None:
    control = "<div><button aria-expanded=false>Why does basin {} silt up so?</button></div>"
    html = "".join(control.format(n) for n in "ABC")
    segments = read_page(f"<body><h2>Questions</h2>{html}".encode(), "").segments
    assert [segment.block.tag for segment in segments] == ["h2", "button", "button", "button"]


def test_custom_elements_are_named_by_the_last_word() -> None:
    page = read_page(
        "<app-header><app-navigation-menu><app-link>Tides</app-link></app-navigation-menu>"
        "</app-header><menu-card>Soup of the day</menu-card>"
    )
    read_page('<ulclass="pros-cons-list"><li>Tides</li></ul>')
    assert [element.tag for element in page.tree.find("body").iter()] == [
        "body", "header", "nav", "a", "menu-card",
    ]  # fmt: skip


def test_the_ingredients_of_a_recipe_are_a_list_of_lines() -> None:
    parts = (("1/4", "cup butter"), ("2", "eggs"))
    recipe = "".join(
        f"<div itemprop=recipeIngredient><div>{amount}</div><div><p>{name}</p></div></div>\n"
        for amount, name in parts
    )
    (ingredients,) = blocks(f"<div><h3></h3>{recipe}</div>")
    assert isinstance(ingredients, List)
    assert not ingredients.ordered
    assert texts(recipe) == ["1/4 cup butter", "2 eggs"]


def test_no_space_precedes_the_comma_after_a_part_of_an_ingredient() -> None:
    line = "2 <a><b>pears</b></a>, sliced (<i><b>ripe</b></i>)"
    assert texts(f"<div itemprop=recipeIngredient>{line}</div>") == ["2 pears, sliced (ripe)"]


@pytest.mark.parametrize("name", ['foo"bar', "a<b"])
def test_broken_tags_in_an_ingredient_are_read(name: str) -> None:
    line = f"<div itemprop=recipeIngredient><{name}>2 g</{name}> <div>salt</div></div>"
    assert "2 g salt" in " ".join(texts(line))


#: A recipe's facts as its plug-ins mark them, and an amount beside its ingredient.
FACTS = (
    "<div class=times><div class=prep-time-container><span>Prep</span><span>5 min</span></div><div></div>"
    "<div class=recipeCookTime><div>Cook</div><div><div>2</div><div>hours</div></div></div></div>"
)
AMOUNT = "<span class=ingredient><b>{}</b><div>{}</div></span>"


def test_the_facts_of_a_recipe_are_a_list_of_lines() -> None:
    (facts,) = blocks(f"<div id=recipe>{FACTS}<!-- ingredients --></div>")
    assert isinstance(facts, List)
    assert texts(f"<div id=recipe>{FACTS}<!-- ingredients --></div>") == [
        "Prep 5 min",
        "Cook 2 hours",
    ]
    items = "".join(f"<li>{AMOUNT.format(*pair)}</li>" for pair in (("2 g", "salt"), ("1", "egg")))
    assert texts(f"<ul>{items}</ul>") == ["2 g salt", "1 egg"]


def test_facts_of_a_recipe_keep_the_text_around_them() -> None:
    def recipe(html: str) -> HtmlElement:
        return read_page(f"<div id=recipe><!-- ingredients -->{html}</div>").tree

    facts = "<div class=prep-time>Prep 5 min</div>{}<div class=cook-time>Cook 9 min</div>"
    assert recipe(f"{facts.format(' ')} then serve").find(".//ul").tail == " then serve"
    assert recipe(facts.format(" and ")).find(".//ul") is None
    assert recipe(f"<div class=total>{facts.format(' ')}</div>").find(".//ul") is None
    numbers = "<div class=prep-time><div>5 min</div><div>in all</div></div>"
    assert recipe(numbers).find(".//b") is None
    assert read_page(f"<div id=recipe>{facts.format('')}</div>").tree.find(".//ul") is None


@pytest.mark.parametrize(
    "part", ["<li>{}</li>", "<form>{}</form>", "<dl><dt>{}</dl>", "<table><td>{}"]
)
def test_lists_tables_and_forms_are_no_facts_of_a_recipe(part: str) -> None:
    page = read_page(f"<div class=yield>{part.format('4 loaves')}</div>")
    (box,) = page.tree.iter("div")
    assert not is_recipe_fact(box)
    box.clear()
    box.set("class", "yield")
    box.text = "4 loaves"
    assert is_recipe_fact(box)


def test_amounts_are_on_the_lines_of_their_nutrients() -> None:
    nutrients = (
        "<dl id=ingredients><dt>Fat</dt><dd>3 g</dd><dd>4 %</dd><dt>Salt</dt><dd>1 g</dd></dl>"
    )
    (facts,) = blocks(nutrients)
    assert isinstance(facts, List)
    assert texts(nutrients) == ["Fat 3 g 4 %", "Salt 1 g"]
    assert texts("<dl id=ingredients><dt>Oats</dt><dd>Rolled</dd></dl>") == ["Oats", "Rolled"]
    long = "3 g of the best salt"
    assert texts(f"<dl id=ingredients><dt>Salt</dt><dd>{long}</dd></dl>") == ["Salt", long]


@pytest.mark.parametrize(
    "around",
    [
        "<div id=recipe>{}</div>",
        '{}<script type=application/ld+json>{{"@type": "Recipe"}}</script>',
    ],
)
def test_lists_of_amounts_are_converted_as_a_whole(around: str) -> None:
    boxes = (
        "<dl><div><dt>Fat</dt><dd><p>3 g</p></dd></div> <div><dt>Salt</dt><dd>1 g</dd></div></dl>"
    )
    ingredients = "<!-- ingredients -->"
    assert texts(around.format(f"{ingredients}{boxes}")) == ["Fat 3 g", "Salt 1 g"]
    outer = f"<dl><dt>Energy</dt><dd>9 kJ</dd><dd></dd><dt>{boxes}</dt></dl>"
    assert texts(around.format(f"{ingredients}{outer}")) == ["Energy 9 kJ", "Fat 3 g", "Salt 1 g"]
    for other in (
        "<dt>Made</dt><dd>by hand</dd>",
        "stray",
        "<dt>Cups</dt><dd>3<ul><li>a</ul></dd>",
    ):
        mixed = around.format(f"{ingredients}<dl><dt>Fat</dt><dd>3 g</dd>{other}</dl>")
        assert texts(mixed)[:2] == ["Fat", "3 g"]


def test_facts_and_amounts_outside_a_recipe_stay_as_they_are() -> None:
    amounts = "<!-- ingredients --><dl><dt>Pupils</dt><dd>24 of 30</dd></dl>"
    assert (
        texts(f"{amounts}<article class=recipes>{amounts}</article>") == ["Pupils", "24 of 30"] * 2
    )
    kinds = [type(block) for block in blocks(f"<!-- ingredients -->{FACTS}")]
    assert List not in kinds


def test_lists_of_terms_within_each_other_are_read_in_linear_time() -> None:
    lists = "<dl><dt></dt><dd>" * 12_000
    started = time.process_time()
    read_page(f"<div id=recipe><!-- ingredients -->{lists}3</div>")
    assert time.process_time() - started < 2


def test_long_texts_and_headings_are_no_facts_of_a_recipe() -> None:
    heading = "<div class=yield><h3>Servings</h3>4 loaves</div>"
    text = f"<div class=prep>{'Soak the barley for 5 hours. ' * 3}</div>"
    page = read_page(f"<p class=ingredients>{heading}{text}{text}")
    assert page.tree.find(".//ul") is None
    assert page.tree.find(".//h3") is not None


def test_items_below_their_numbers_are_a_numbered_list() -> None:
    step = "<li><div><div>{}</div><div>Stir the batter and wait.</div></div></li>"
    (steps,) = blocks(f"<ul>{step.format(1)}{step.format(2)}</ul>")
    assert isinstance(steps, List)
    assert steps.ordered
    assert texts(f"<ul>{step.format(1)}{step.format(2)}</ul>") == ["Stir the batter and wait."] * 2
    (scores,) = blocks(f"<ul>{step.format(7)}{step.format(3)}</ul>")
    assert isinstance(scores, List)
    assert not scores.ordered
    (counts,) = blocks("<ul><li><b>1</b> cup of milk</li><li><b>2</b> eggs</li></ul>")
    assert isinstance(counts, List)
    assert not counts.ordered


def test_a_box_of_lines_in_a_stated_language_is_code() -> None:
    (code,) = blocks('<div class="code-block" data-lang="http">GET /tides\n\n&gt; depth</div>')
    assert code == Code("GET /tides\n\n> depth", "http")
    (prose,) = blocks('<div class="code">The lock is opened\nby two men.</div>')
    assert isinstance(prose, Paragraph)


def test_an_empty_box_in_a_line_divides_no_paragraph() -> None:
    box = '<div style="width: 9px; display: -webkit-inline-box"><div> </div></div>'
    assert texts(f"<p>The mole <a href=/m>of stone</a>\n{box}\n. Built in 1802.</p>") == [
        "The mole of stone. Built in 1802."
    ]


def test_empty_boxes_in_a_line_are_found_in_linear_time() -> None:
    html = "<div style='display: inline'>" * 1_000 + "<b> </b>" * 10_000
    started = time.process_time()
    read_page(f"<p>Before.</p>{html}")
    assert time.process_time() - started < 3


def test_a_picture_in_a_line_takes_the_text_that_repeats_its_alternative_text() -> None:
    alt = "The mole at Kester in the storm of 1990"
    picture = (
        f"<span class=left><img src=/a.jpg alt='{alt}.'><em>{alt}.</em> <em>(Reed)</em></span>"
    )
    caption = f"{alt}. (Reed)"
    assert texts(f"<p>The mole is long. {picture}</p>") == ["The mole is long.", caption]
    assert texts(f"<p>{picture} The mole is long.</p>") == [caption, "The mole is long."]
    within = texts(f"<p>The mole {picture} is long.</p>")
    assert within == [f"The mole {caption} is long."]
    other = picture.replace(f"<em>{alt}", "<em>Another pier")
    assert texts(f"<p>The mole is long. {other}</p>") == ["The mole is long. Another pier. (Reed)"]
    paragraph = f"{alt} is what the people of the village tell their children about on long nights."
    long_picture = picture.replace("(Reed)", paragraph.removeprefix(alt))
    short_alt = picture.replace(alt, "The mole")
    after_text = picture.replace("<img", "Below, <img")
    for line in (long_picture, short_alt, after_text):
        assert read_page(f"<p>{line}</p>").tree.find(".//figcaption") is None
    short = picture.replace(alt, "The mole")
    assert texts(f"<p>The mole is long. {short}</p>") == ["The mole is long. The mole. (Reed)"]
    led = picture.replace("<img", "Look: <img")
    assert len(texts(f"<p>The mole is long. {led}</p>")) == 1


def test_a_legend_below_a_picture_in_a_line_is_no_part_of_the_line() -> None:
    picture = "<a href=/a.jpg><img src=/a.jpg><span class='legend'>The mole, 1990</span></a>"
    assert texts(f"<p>{picture}The mole is long.</p>") == ["The mole, 1990", "The mole is long."]
    assert texts(f"<p>{picture.replace('legend', 'x')} is long.</p>") == ["The mole, 1990 is long."]
