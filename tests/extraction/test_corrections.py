import pytest

from printer.html.page import read_page
from tests.support.selections import TEXT, choice, corrected


def test_a_quotation_keeps_its_source():
    html = f"<p>{TEXT}</p><blockquote><p>{TEXT} Yes.</p><footer>A sailor</footer></blockquote>"
    assert choice(html, [TEXT])[-1] == "A sailor"


def test_a_post_of_several_lines_is_kept_whole_in_articles():
    post = "<blockquote><p>No buses today:<br>one at the pier,<br>one at the gate.</p></blockquote>"
    assert len(choice(f"<p>{TEXT}</p>{post}", [TEXT, "No buses"])) == 4
    assert len(choice(f"<p>{TEXT}</p>{post}", [TEXT, "No buses"], "forum")) == 2


def test_a_definition_list_of_selected_terms_is_kept_whole():
    terms = "".join(
        f"<dt>The {name} lock<dd><p>Of the {name} stone</p>" for name in ("old", "new", "third")
    )
    html = f"<p>{TEXT}</p><dl>{terms}</dl>"
    assert len(choice(html, [TEXT, "old lock", "new lock"], "documentation")) == 7
    assert len(choice(html, [TEXT, "old lock"], "documentation")) == 2


def test_buttons_of_several_parts_go():
    part = f"<p>{TEXT} {{0}}</p><button>Show attributes</button><button>{{0}}</button>".format
    texts = choice(part("One") + part("Two"), [""], "documentation")
    assert texts == [f"{TEXT} One", "One", f"{TEXT} Two", "Two"]


def test_questions_in_buttons_stay_above_answers_that_begin_with_headings():
    questions = ["How is it rowed?", "Who rings the bell?", "Where is the mill?"]
    answer = f"<div class=panel><h4>In short</h4><p>{TEXT} {{0}}</p></div>"
    part = f"<button class=accordion>{{0}}</button>{answer}".format
    texts = choice(f"<p>{TEXT}</p>{''.join(map(part, questions))}", [""])
    assert [text for text in texts if text in questions] == questions


@pytest.mark.parametrize("kind", ["documentation", "product"])
def test_buttons_beside_the_text_of_a_heading_go(kind):
    heading = "<h2>Rigging <button>Copy path</button><button>Show all ropes</button></h2>"
    unfolding = f"<h2><button>Which ropes?</button></h2><p>{TEXT} Yes.</p>"
    texts = choice(f"{heading}<p>{TEXT}</p>{unfolding}", [""], kind)
    assert texts == ["Rigging", TEXT, "Which ropes?", f"{TEXT} Yes."]


def test_a_table_is_kept_whole_and_a_layout_table_is_not():
    table = (
        "<table><caption>Tides</caption><tr><th>High</th><td>five in the morning</td></tr>"
        "<tr><th>Low</th><td>noon</td></tr></table>"
    )
    paragraphs = f"<p>{TEXT}</p><p>{TEXT} Again.</p>"
    assert "noon" in choice(paragraphs + table, [TEXT, "High", "five", "Tides"])
    layout = f"<table><tr><td>Menu</td><td>{paragraphs}</td></tr></table>"
    assert "Menu" not in choice(layout, [TEXT])


@pytest.mark.parametrize(
    ("cell", "text", "rows", "kind", "is_complete"),
    [
        ("th", "five in the morning, noon", 9, "listing", True),
        ("td", "five in the morning, noon", 9, "listing", False),
        ("th", "five in the morning, noon", 2, "listing", False),
        ("th", "five in the morning, noon", 9, "forum", False),
        ("th", "<p>five in the morning, noon</p>", 9, "listing", False),
        ("th", f"five. {TEXT} {TEXT}", 9, "listing", False),
        ("th", "five<td>in the morning, noon", 9, "listing", False),
    ],
)
def test_a_table_that_names_its_columns_is_kept_whole_if_it_is_the_whole_text(
    cell, text, rows, kind, is_complete
):
    head = f"<thead><tr><{cell}>Tide<{cell}>High</tr></thead>"
    body = "".join(f"<tr><td>Spring {n}<td>{text}</tr>" for n in range(rows))
    words = ["Tide", "High", "five", "noon", *(f"Spring {n}" for n in range(1, rows))]
    assert ("Spring 0" in choice(f"<table>{head}{body}</table>", words, kind)) is is_complete


def test_a_table_with_a_selected_cell_in_most_rows_is_kept_whole():
    rows = "".join(f"<tr><td><a href=/{n}>The boat of {n}</a><td>{n} m" for n in ("Ada", "Bo"))
    html = f"<p>{TEXT}</p><p>{TEXT} Again.</p><table>{rows}</table>"
    assert "The boat of Ada" in choice(html, [TEXT, "Ada m", "Bo m"])
    row = "<tr><td>Many words about the harbour and its boats<td>1 m"
    rows += row * 2
    html = f"<p>{TEXT}</p><p>{TEXT} Again.</p><table>{rows}{row}</table>"
    assert "The boat of Bo" not in choice(html, [TEXT, "Ada m"])


def test_a_linked_number_is_the_name_of_an_entry_only_in_a_heading():
    html = f"<p>{TEXT}</p><{{0}}><a href=/8282>8282</a></{{0}}><p>{TEXT} Again.</p>"
    assert "8282" in choice(html.format("h3"), [TEXT, "8282"])
    assert "8282" not in choice(html.format("div"), [TEXT, "8282"])


def test_a_list_with_tooltips_is_not_a_tooltip():
    html = f"<p>{TEXT}</p><ul class={{}}><li>Wick, Scotland</li></ul><p>{TEXT} Again.</p>"
    assert "Wick, Scotland" in choice(html.format("items-with-tooltips"), [TEXT, "Wick"])
    assert "Wick, Scotland" not in choice(html.format("tooltips"), [TEXT, "Wick"])


def test_a_table_within_the_text_is_complete_if_any_of_it_is_selected():
    rows = "".join(f"<tr><td>{n} boats</td><td>0.{n} %</td></tr>" for n in range(1, 7))
    html = f"<p>{TEXT}</p><table>{rows}</table>"
    assert len(choice(f"{html}<p>{TEXT} Again.</p>", [TEXT, "1 boats"])) == 14
    assert choice(f"{html}<p>Call us</p>", [TEXT, "1 boats"]) == [TEXT, "1 boats"]


def test_the_caption_of_a_selected_table_is_selected_and_that_of_another_is_not():
    table = "<table><tr><th>High<td>five in the morning<tr><th>Low<td>noon</table>"
    figure = f"<figure><figcaption>Table 1: Tides</figcaption>{table}</figure>"
    assert "Table 1: Tides" in choice(f"<p>{TEXT}</p>{figure}", [TEXT, "High", "five", "Low"])
    assert choice(f"<p>{TEXT}</p>{figure}", [TEXT]) == [TEXT]


def test_the_pages_own_table_of_contents_goes():
    names = ["Tides", "Winds", "Ropes", "Nets"]
    entries = "".join(f"<li><a href='#{name}'>{name}</a></li>" for name in names)
    sections = "".join(f"<h2 id={name}>{name}¶</h2><p>{TEXT} {name}.</p>" for name in names)
    html = f"<p>{TEXT}</p><ul>{entries}</ul>{sections}"
    rest = [text for name in names for text in (f"{name}¶", f"{TEXT} {name}.")]
    assert choice(html, [TEXT, *names]) == [TEXT, *rest]
    assert len(choice(f"<p>{TEXT}</p><ul>{entries}</ul>", [TEXT, *names])) == 1 + len(names)
    lines = entries.replace("li>", "p>")  # lines that are no list
    assert choice(f"<p>{TEXT}</p>{lines}{sections}", [TEXT, *names]) == [TEXT, *rest]
    assert len(choice(f"<p>{TEXT}</p>{lines}", [TEXT, *names])) == 1 + len(names)


def test_a_menu_that_is_never_closed_is_not_completed():
    text = f"<h1>Tides</h1><p>{TEXT}</p><p>{TEXT} Again.</p><p>{TEXT} At noon.</p>"
    menu = f"<ul><li><a href=/f>Ferries</a></li><li>Boats <div>{text}<p>Imprint</p></div>"
    assert choice(menu, ["Tides", TEXT]) == ["Tides", TEXT, f"{TEXT} Again.", f"{TEXT} At noon."]
    assert "Imprint" in choice(menu.replace("h1", "h2"), ["Tides", TEXT])


@pytest.mark.parametrize(
    ("names", "goes"),
    [
        ("carousel-indicators", True),
        ("c-carousel__indicators", True),
        ("cook-mode", True),
        ("gdpr-banner__text", True),
        ("cookie-notice", True),
        ("carousel-inner", False),
        ("cookie-recipe", False),
        ("tag-gdpr", False),
    ],
)
def test_boxes_of_controls_and_notices_go_from_all_pages(names, goes):
    html = f"<h1>Boats</h1><p>{TEXT}</p><p>{TEXT} Again.</p><div class={names}><p>Oars</p></div>"
    for kind in ("article", "product", "service"):
        assert ("Oars" not in choice(html, [""], kind)) is goes


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Reading time: 8 minutes", True),
        ("Tempo di lettura: 3 minuti", True),
        ("·Nov 7, 2025·11 min read", True),
        ("The reading time of the tide table", False),
        ("It takes 20 minutes to row to the island.", False),
    ],
)
def test_the_time_that_reading_takes_goes(line, goes):
    for kind in ("article", "listing"):
        texts = choice(f"<p>{TEXT}</p><div>{line}</div><p>{TEXT} Again.</p>", [""], kind)
        assert (len(texts) == 2) is goes


def test_a_list_of_links_of_which_little_is_kept_goes():
    items = "".join(f"<li><a href='/{n}'>Some other story number {n}</a></li>" for n in range(9))
    assert choice(f"<p>{TEXT}</p><ul>{items}</ul>", [TEXT, "number 3"]) == [TEXT]


def test_the_one_likely_item_of_an_articles_list_without_links_stays():
    items = "".join(f"<li>Some rule of the harbour, number {n}</li>" for n in range(9))
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", [TEXT, "number 3"])) == 2


def test_a_list_is_completed_without_the_buttons_of_its_items():
    button = "<div><a href='/more'>Learn more</a></div>"
    items = "".join(f"<li><p>{TEXT} Boat {n}.</p>{button}</li>" for n in range(3))
    texts = choice(f"<ul>{items}<li>Dinghies</li></ul>", ["Boat"])
    assert texts == [*(f"{TEXT} Boat {n}." for n in range(3)), "Dinghies"]


def test_a_table_is_completed_without_a_column_of_the_same_links():
    row = "<tr><td>Salt {0}</td><td>{0} g</td><td><a href=/{0}>{1}</a></td></tr>".format
    table = "".join(row(n, "more") for n in range(3))
    assert choice(f"<p>{TEXT}</p><table>{table}</table>", [TEXT, "Salt"])[-2:] == ["Salt 2", "2 g"]
    table = "".join(row(n, f"sea {n}") for n in range(3))
    assert choice(f"<p>{TEXT}</p><table>{table}</table>", [TEXT, "Salt"])[-1] == "sea 2"
    table = "".join(f"<tr><td>Salt {n}</td><td>{n} g</td><td>daily</td></tr>" for n in range(3))
    assert choice(f"<p>{TEXT}</p><table>{table}</table>", [TEXT, "Salt"])[-1] == "daily"


def test_boxes_of_navigation_of_a_wiki_go_whole():
    box = "<ul><li><a href=/o>Oars</a></li><li>Sails</li></ul>"
    for names in ("navbox", "sister-box", "'side-box sistersitebox'"):
        assert choice(f"{TEXT}<div class={names}>{box}</div>", [TEXT, "Oars"]) == [TEXT]


def test_a_switch_of_the_size_of_text_is_no_part_of_a_list():
    sizes = "<h2>Size of text:</h2><ul><li>A</li><li>A</li><li>A</li></ul>"
    html = (
        f"<h1>Ferries</h1><ul><li><p>{TEXT}</p><p>{TEXT} Yes.</p>{sizes}</li><li>The end</li></ul>"
    )
    assert choice(html, [TEXT]) == [TEXT, f"{TEXT} Yes.", "The end"]


def test_a_price_in_a_link_is_no_action():
    cards = "".join(f"<p>Lamp {n}</p><p><a href='/{n}'>${n}9.95</a></p>" for n in range(1, 4))
    texts = choice(cards, ["Lamp", "$"], "collection")
    assert texts == ["Lamp 1", "$19.95", "Lamp 2", "$29.95", "Lamp 3", "$39.95"]


def test_rows_of_asterisks_between_scenes_are_kept():
    story = f"<div>* * *</div><p>{TEXT}</p><div>******</div><p>{TEXT} Again.</p><div>***</div>"
    assert choice(story, [TEXT]) == [TEXT, "******", f"{TEXT} Again."]


def test_on_collections_lists_of_which_a_fifth_is_kept_stay():
    items = "".join(f"<li><a href='/{n}'>Some other story number {n}</a></li>" for n in range(9))
    selected = [TEXT, "number 3", "number 4"]
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", selected, "collection")) == 3
    assert choice(f"<p>{TEXT}</p><ul>{items}</ul>", selected, "listing") == [TEXT]


def test_on_articles_a_list_of_which_most_is_kept_is_kept_whole():
    items = "".join(f"<li>The boat of {name}</li>" for name in ("Ada", "Bo", "Cy", "Di"))
    selected = [TEXT, "Ada", "Bo", "Cy"]
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", selected)) == 5
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", selected, "service")) == 4


def test_a_list_with_few_links_of_which_half_is_kept_is_kept_whole():
    things = "Flour of the mill", "Milk of the farm", "<a href=/s>Salt</a> of the sea", "Honey"
    items = "".join(f"<li>{thing}</li>" for thing in things)
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", [TEXT, "Flour", "Milk"])) == 5


@pytest.mark.parametrize(
    ("selected", "count"), [("Ada", 0), ("Ada Bo", 3), ("Ada Cy", 3), ("Cy", 0)]
)
def test_on_articles_a_list_of_links_is_kept_or_left_out_whole(selected, count):
    names = "Ada", "Bo", "Cy"
    items = "".join(f"<li><a href=/{name}>The boat {name}</a></li>" for name in names)
    chosen = [f"boat {name}" for name in selected.split()]
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", [TEXT, *chosen])) == 1 + count
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", [TEXT, *chosen], "service")) == 1 + len(
        chosen
    )


@pytest.mark.parametrize(
    "box",
    [
        '<div class="newsletter-box"><h3>Letters</h3><p>Join us.</p></div>',
        '<div class="author-info"><h3>Letters</h3><p>Join us.</p></div>',
        '<div class="x"><h3>Letters</h3><p>Join us.</p><form><input type="email"></form></div>',
    ],
)
def test_a_box_that_asks_for_an_address_goes_from_articles(box):
    html = f"<p>{TEXT}</p><p>{TEXT} Two.</p><p>{TEXT} Three.</p>{box}<p>{TEXT} Four.</p>" * 2
    assert "Letters" not in choice(html, ["The", "Letters", "Join"])
    assert "Letters" in choice(html, ["The", "Letters", "Join"], kind="service")


def test_a_whole_page_with_a_form_is_no_such_box():
    assert choice(f"<div class='newsletter'><p>{TEXT}</p><p>{TEXT} 2</p></div>", [TEXT])


@pytest.mark.parametrize(
    "label",
    ["Advertisement", "Anzeige", "広告", "— Sponsored —", "Sponsored: Try it!"],
)
def test_the_label_of_an_advertisement_goes(label):
    assert choice(f"<p>{TEXT}</p><p>{label}</p>", [TEXT, label], "forum") == [TEXT]


@pytest.mark.parametrize(
    ("line", "goes"), [("Picture 4 of 10", True), ("Bild 4/10", True), ("Pier 4 of 10", False)]
)
def test_the_number_of_a_picture_in_a_gallery_goes(line, goes):
    html = f"<p>{TEXT}</p><div>{line}</div><p>{TEXT} Again.</p>"
    assert (len(choice(html, [""])) == 2) is goes


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Rating: 6.0/6 (1 vote cast)", True),
        ("Bewertung: 4,5/5 (12 Stimmen)", True),
        ("Rating: +3 (from 3 votes)", True),
        ("Rating: 6.0/6", False),
        ("Tides: 4 (in 1 night and 2 days by the sea)", False),
    ],
)
def test_a_line_that_counts_votes_goes_from_articles(line, goes):
    html = f"<p>{TEXT}</p><div>{line}</div><p>{TEXT} Again.</p>"
    assert (len(choice(html, [""])) == 2) is goes
    assert len(choice(html, [""], "forum")) == 3


def test_a_sentence_about_advertising_is_no_label():
    text = "Advertising: show the lamps to those who have looked at them before, on any page."
    assert choice(f"<p>{TEXT}</p><p>{text}</p>", [TEXT, text]) == [TEXT, text]
    items = "<ul><li>Letters: to those we know<li>Advertising – in papers</ul>"
    assert "Advertising – in papers" in choice(f"<p>{TEXT}</p>{items}", [TEXT, "Letters", "Adv"])


def test_a_label_that_the_line_below_begins_with_goes():
    tip = "<div>Tip:</div><p><b>Tip:</b> Come at low tide.</p>"
    assert choice(f"<p>{TEXT}</p>{tip}", [""]) == [TEXT, "Tip: Come at low tide."]


def test_the_twin_of_a_table_for_narrow_windows_goes():
    table = "<table><tr><th>Tide<th>High<th>Low<tr><td>Spring<td>five<td>noon</table>"
    twin = "<div class='hidden mobile-block'><h3>Tide</h3><p>Spring</p><p>High five Low {}</p>"
    for word, lines in (("noon", 7), ("six", 10)):
        html = f"<p>{TEXT}</p>{table}{twin.format(word)}</div><p>{TEXT} Again.</p>"
        assert len(choice(html, [""])) == lines + 1


def test_a_block_for_phones_that_repeats_most_words_of_the_one_above_goes():
    wide = f"<div class=wide><h2>Boats for hire</h2><p>{TEXT}</p><p>Red boats, ten crowns</p></div>"
    phone = f"<div class=box-mobile><h2>Boats</h2><p>Hire: {{}}</p><p>{TEXT} Yes.</p></div>"
    html = f"<p>{TEXT} First.</p>{wide}<link rel=x>{phone}<p>{TEXT} Again.</p>"
    assert len(choice(html.format("red boats for ten crowns"), [""])) == 5
    assert len(choice(html.format("ask the harbour master about oars"), [""])) == 8
    rows = "<div class='row is-mobile'><p>Gull</p><p>Quay</p><p>Noon</p></div>" * 2
    assert len(choice(f"<p>{TEXT}</p>{rows}", [""], "listing")) == 7


@pytest.mark.parametrize("kind", ["article", "collection"])
def test_the_options_of_a_list_drawn_by_a_script_go(kind):
    options = "".join(f"<li role=option>Price, {name} first</li>" for name in ("low", "high"))
    html = f"<p>{TEXT}</p><ul role=listbox>{options}</ul><ul><li>Price, low first</li></ul>"
    assert choice(html, [""], kind) == [TEXT, "Price, low first"]


def test_entries_of_contents_that_are_called_otherwise_than_their_headings_go():
    names = ["Tides", "Winds", "Ropes", "Nets"]
    entries = "".join(f"<ul><li><a href='#{n}'>Why {n} matter</a></li></ul>" for n in names)
    sections = "".join(f"<h2 id={n}>All about {n}</h2><p>{TEXT} {n}.</p>" for n in names)
    html = f"<p>{TEXT}</p>{entries}{sections}"
    assert len(choice(html, [TEXT, *names])) == 9
    assert len(choice(html, [TEXT, *names], "documentation")) == 13
    assert len(choice(html.replace("id=", "title="), [TEXT, *names])) == 13


def test_a_box_named_as_a_call_to_action_goes():
    box = "<section class='CallToActionBox_root'><p>Get a boat</p><p>Ours sail fast.</p></section>"
    html = f"<p>{TEXT}</p>{box}<p>{TEXT} Again.</p>"
    assert choice(html, [""]) == [TEXT, f"{TEXT} Again."]
    assert len(choice(html.replace("CallToAction", "Harbour"), [""])) == 4


def test_a_hint_in_all_items_of_a_long_list_is_not_added_to_it():
    item = f"<li><p>{TEXT} {{0}}.</p><div>Please scroll to see more of it</div></li>".format
    items = "".join(map(item, range(4)))
    assert len(choice(f"<p>{TEXT}</p><ul>{items}</ul>", [TEXT])) == 5


def test_actions_on_a_post_are_dropped_but_not_headings_with_their_names():
    links = "<div><a href=#>Like</a> (4) <a href=#>Quote</a> <a href=#>Report</a></div>"
    html = f"<h2>Report</h2><p>{TEXT}</p>{links}"
    assert choice(html, ["Report", TEXT], "forum") == ["Report", TEXT]


def test_a_box_of_related_content_goes_with_its_introduction():
    box = "<div class='RelatedContent-box'><h2>More views</h2><p>Here are more of them.</p></div>"
    html = f"<p>{TEXT}</p>{box}<p>{TEXT} Again.</p>"
    assert choice(html, [""]) == [TEXT, f"{TEXT} Again."]


def test_a_box_that_calls_to_action_goes():
    for name in ("recipe-cta", "card_cta_2", "call-to-action__title", "follow-popup", "ss-modal"):
        box = f'<div class="{name}">Tag us</div>'
        html = f"<h1>Plums</h1><p>{TEXT}</p>{box}<p>{TEXT} Indeed.</p>"
        assert choice(html, [TEXT, "Tag us"]) == [TEXT, f"{TEXT} Indeed."]


@pytest.mark.parametrize(
    ("line", "goes"),
    [("Which is best?", True), ("أيها best؟", True), ("These are best.", False)],
)
def test_the_question_of_a_poll_goes(line, goes):
    poll = f"<div><p>{line}</p><input type=radio><label>Tea</label><input type=radio></div>"
    text = "".join(f"<p>{TEXT} {day}</p>" for day in range(6))
    assert (len(choice(text + poll, [TEXT, "best"])) == 6) is goes


def test_the_times_of_a_running_report_are_kept():
    html = f"<p>{TEXT}</p><p>12.30pm:</p><p>{TEXT} Again.</p><p>0:45</p><p>{TEXT} Yes.</p>"
    assert choice(html, [TEXT])[1] == "12.30pm:"
    assert len(choice(html, [TEXT])) == 4


@pytest.mark.parametrize(
    ("hidden", "goes"),
    [
        ("<div style='display:none'><p>You must sign in.</p></div>", True),
        ("<div hidden class=popup><p>You must sign in.</p></div>", True),
        ("<div style='visibility:hidden'><p>You must sign in.</p></div>", True),
        ("<div aria-hidden=true><p>You must sign in.</p></div>", False),
        ("<div class=tab-pane hidden><p>You must sign in.</p></div>", False),
        ("<div id=a hidden><p>You must sign in.</p></div><a href='#a'>Show</a>", False),
        ("<h3 class=q>May I?</h3><div hidden><p>You must sign in.</p></div>", False),
        ("<h3>May I?</h3><p hidden>You must sign in.</p>", True),
        ("<p><button>May I?</button></p><div hidden><p>You must sign in.</p></div>", False),
        ("<div class=q hidden><p>You must sign in.</p></div><div class=q>Yes.</div>", False),
        (f"<div hidden><p>You must sign in. {TEXT}</p></div>", False),
    ],
)
def test_blocks_that_no_reader_sees_go_unless_they_are_folded_or_long(hidden, goes):
    selected = choice(f"<p>{TEXT}</p>{hidden}<p>{TEXT} Again.</p>", [TEXT, "sign in"])
    assert (len(selected) == 2) is goes


COMMENTS = (
    '<div id="comments"><div class="reader-comment"><p>I was there that night, and it was not as '
    "you tell it: nobody ran.</p></div></div>"
)


def test_readers_comments_go_from_articles_but_not_from_discussions():
    article = "".join(f"<p>{TEXT} Crossing {n}.</p>" for n in range(9))
    assert len(choice(article + COMMENTS, [TEXT, "nobody ran"])) == 9
    assert len(choice(article + COMMENTS, [TEXT, "nobody ran"], kind="forum")) == 10
    assert choice("<p>Who was there?</p>" + COMMENTS, ["Who", "nobody ran"])[-1].endswith("ran.")
    assert len(choice(article + COMMENTS, [TEXT, "nobody ran"], kind="listing")) == 9


@pytest.mark.parametrize("names", ["commentary", "commented", "post comments-open"])
def test_names_that_only_resemble_those_of_comments_are_kept(names):
    article = "".join(f"<p>{TEXT} Crossing {n}.</p>" for n in range(9))
    assert len(choice(f'{article}<div class="{names}"><p>Ann writes.</p></div>', ["", ""])) == 10


def test_a_heading_goes_if_its_whole_section_went():
    advert = (
        "<h2>Before you go</h2><h3>Letters</h3><div class='newsletter-box'><p>Join us.</p></div>"
    )
    html = f"<h2>The ferry</h2><p>{TEXT}</p>{advert}<h2>The quay</h2><p>{TEXT} Again.</p>"
    assert choice(html, [""]) == ["The ferry", TEXT, "The quay", f"{TEXT} Again."]


def test_the_heading_of_a_list_of_contents_goes_with_it():
    items = "<li><a href=#map>The map</a></li><li><a href=#quay>The quay</a></li>"
    html = f"<p>{TEXT}</p><h2>In brief</h2><ul>{items}</ul><h2>Quays</h2><p>{TEXT} Again.</p>"
    assert choice(html, [TEXT, "brief", "Quays"]) == [TEXT, "Quays", f"{TEXT} Again."]


def test_a_heading_below_which_nothing_was_selected_stays():
    html = f"<p>{TEXT}</p><h2>The map</h2><p>Loading</p><h2>The quay</h2><p>{TEXT} Again.</p>"
    assert len(choice(html, [TEXT, "map", "quay"])) == 4


def test_a_heading_above_hidden_text_goes():
    hidden = "<p style='display: none'>A chart that nobody sees.</p>"
    html = f"<p>{TEXT}</p><h2>The map</h2>{hidden}"
    assert choice(html, [TEXT, "map"]) == [TEXT]
    more = f"{html}<h2>The quay</h2><p>{TEXT} Again.</p>"
    assert choice(more, [TEXT, "map", "quay"]) == [TEXT, "The quay", f"{TEXT} Again."]


def test_code_named_a_comment_is_no_readers_comment():
    code = (
        "<pre class=comment># the ferry</pre><p><code><span class=comment># dawn</span></code></p>"
    )
    article = "".join(f"<p>{TEXT} Crossing {n}.</p>" for n in range(9))
    assert len(choice(article + code, [""])) == 11


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("<p>[contact-form id=3]</p>", True),
        ('<p>[button link="/a b" size=2]</p>', True),
        ("<p>[CTA_MODULE]</p>", True),
        ("<p>{{ banner }}</p>", True),
        ("<p>[Applause]</p>", False),
        ("<pre>{{ banner }}</pre>", False),
        ("<p><code>[form id=3]</code></p>", False),
        ("<p>[form id=3] is a shortcode.</p>", False),
    ],
)
def test_placeholders_of_a_sites_scripts_go(line, goes):
    selected = choice(f"<p>{TEXT}</p>{line}<p>{TEXT} Again.</p>", [""], kind="service")
    assert (len(selected) == 2) is goes


@pytest.mark.parametrize("label", ["bash", "Copy", "Bash Copy"])
def test_code_loses_its_label_and_its_copy_button(label):
    code = "<pre><code class=language-bash>npm run</code></pre>"
    html = f"<p>{TEXT}</p><p>Run:</p><div>{label}</div><button>Copy</button>{code}<p>{label}</p>"
    selected = choice(html, [TEXT, "Run:", label, "Copy", "npm"])
    assert selected[:3] == [TEXT, "Run:", "npm run"]
    assert choice(f"<p>{TEXT}</p><p>Run {label} now</p>{code}", [TEXT, "Run", "npm"])[1] == (
        f"Run {label} now"
    )


def test_a_hidden_part_of_a_line_does_not_hide_the_line():
    line = f"<p>{TEXT}<span style='display:none'><i>x</i></span> Again.</p>"
    assert len(choice(f"<p>{TEXT}</p>{line}<p>{TEXT} Once more.</p>", [TEXT])) == 3


def test_hidden_blocks_go_beside_enough_visible_text():
    hidden = f"<div style='display:none'><p>You must sign in. {TEXT * 9}</p></div>"
    assert choice(f"<p>{TEXT * 4}</p>{hidden}", [TEXT]) == [TEXT * 4]
    assert len(choice(f"<p>{TEXT}</p>{hidden}", [TEXT])) == 2
    most = hidden.replace(TEXT, 3 * TEXT)
    assert len(choice(f"<p>{TEXT * 4}</p>{most}", [TEXT])) == 2


def test_linked_numbers_in_a_table_are_no_actions():
    rows = "<tr><td>Sailed<td><a href=/t>12:01</a><tr><td>Fee<td><a href=/f>14</a>"
    assert choice(f"<p>{TEXT}</p><table>{rows}</table>", [""])[1:] == [
        "Sailed", "12:01", "Fee", "14",
    ]  # fmt: skip


def test_a_heading_above_code_of_a_class_of_that_name_stays():
    code = "<pre class=synopsis>SELECT 1</pre>"
    for heading, stays in (("<h2>Synopsis</h2>", True), ("<div>synopsis</div>", False)):
        found = choice(f"<p>{TEXT}</p>{heading}{code}<p>{TEXT}</p>", [""])
        assert any("ynopsis" in text for text in found) is stays


@pytest.mark.parametrize("kind", ["article", "service"])
def test_tooltips_are_dropped(kind):
    tip = "<div class='help__tooltip'><p>Enter your town.</p></div>"
    inline = f"<p>{TEXT} <span class='tooltip'>tides</span></p>"
    html = f"<p>{TEXT}</p><p>{TEXT} Two.</p>{tip}{inline}<p>{TEXT} Three.</p>"
    selected = choice(html + html.replace(TEXT, TEXT.upper()), [TEXT, TEXT.upper(), "Enter"], kind)
    assert "Enter your town." not in selected
    assert len(selected) == 8


def test_a_tooltip_in_a_heading_is_dropped():
    tip = "<tool-tip class=tool-tip><div class='tool-tip__content'>A hull keeps afloat.</div>"
    heading = f"<h3>Hull {tip}</tool-tip></h3><p>Oak</p>"
    found = choice(f"<p>{TEXT}</p>{heading}<p>{TEXT} Two.</p>", ["", TEXT], "product")
    assert "A hull keeps afloat." not in found
    assert {"Hull", "Oak"} <= {*found}


def test_notices_of_a_wiki_go():
    note = (
        "<div role='note' class='hatnote navigation-not-searchable'>You can help by adding.</div>"
    )
    box = "<table class='metadata ambox'><tr><td>This needs expansion.</td></tr></table>"
    html = f"<p>{TEXT}</p>{note}{box}<p class='flambox'>{TEXT} Two.</p>" * 2
    assert choice(html, [TEXT, "You", "This"]) == [TEXT, f"{TEXT} Two."] * 2


def test_the_categories_of_a_wiki_are_no_sources():
    categories = "<div class=catlinks><ul><li>Boats</li><li>Harbours</li></ul></div>"
    html = f"<p>{TEXT}</p><h2>Sources</h2><ol><li>{TEXT} Two.</li></ol>{categories}"
    chosen = choice(html, [TEXT, "Sources", "Boats"], "documentation")
    assert chosen == [TEXT, "Sources", f"{TEXT} Two."]


def test_a_few_choices_of_a_form_go():
    orders = ("By price, from low", "By price, from high", "By age", "By name")
    items = "".join(f"<li><input type=radio name=o><label>{text}</label></li>" for text in orders)
    html = f"<ul>{items}</ul><p>{TEXT}</p>"
    assert choice(html, [orders[1], TEXT], kind="collection") == [TEXT]


def test_items_left_out_as_copies_complete_their_list():
    boats = (
        f"<ul><li>{name} of Wick</li><li>3 m</li><li>Masts</li></ul>" for name in ("Ada", "Bo")
    )
    page = read_page(f"<p>{TEXT}</p>{''.join(boats)}<ul><li>Cy</li><li>2 m</li><li>None</li></ul>")
    flags = corrected(page, [True] * 5 + [True, False, True, True, False], "product")
    assert list(flags) == [True] * 7 + [True, True, False]


def test_the_caption_of_a_picture_is_no_text():
    caption = "<figcaption>The quay at dawn</figcaption>"
    for inside in ("<div></div>", "<img src=quay.png>"):
        assert choice(f"<p>{TEXT}</p><figure>{inside}{caption}</figure>", [""]) == [TEXT]
    for inside in ("<video src=a.mp4></video>", "<pre>make</pre>", "<p>A poem</p>"):
        texts = choice(f"<p>{TEXT}</p><figure>{inside}{caption}</figure>", [""])
        assert texts[-1] == "The quay at dawn"


@pytest.mark.parametrize(
    ("numbers", "stay"),
    [(("1", "2"), True), (("4", "5"), True), (("1", "3"), False)],
)
def test_numbers_above_headings_are_kept_if_they_count_them(numbers, stay):
    steps = "".join(f"<div>{n}</div><h3>Step {n} of all</h3><p>{TEXT} {n}</p>" for n in numbers)
    texts = choice(steps, [TEXT, "Step", numbers[-1]])
    assert ([text for text in texts if text in numbers] == list(numbers)) is stay


def test_a_number_in_a_cell_above_a_heading_stays():
    rows = "<tr><td>Nets<td>6<tr><td>Ropes<td>24<tr><td colspan=2><h5>Boats</h5>"
    html = f"<p>{TEXT}</p><table>{rows}<tr><td>Dinghies<td>2</table>"
    assert "24" in choice(html, [TEXT, "Nets", "6", "Ropes", "24", "Boats", "Dinghies", "2"])


def test_the_counts_of_a_list_are_no_page_numbers():
    counts = "".join(f"<div><a href='/{n}'>{n}0,551</a></div>" for n in (3, 4))
    html = f"<p>{TEXT}</p>{counts}"
    assert (len(choice(html, [""], "listing")), len(choice(html, [""]))) == (3, 1)


@pytest.mark.parametrize("name", ["related products", "up-sells", "product-recommendations"])
def test_boxes_of_other_products_are_dropped(name):
    html = f"<h1>Oar</h1><p>{TEXT}</p><p>{TEXT} Two.</p><div class='{name}'><h2>Sail</h2></div>"
    assert "Sail" not in choice(html, [TEXT, "Oar", "Sail"], "product")
    assert "Sail" in choice(html, [TEXT, "Oar", "Sail"], "service")


@pytest.mark.parametrize(
    "label",
    ["Learn more", "Read the full case study", "Get started →", "Mehr erfahren", "了解更多"],
)
def test_a_line_that_only_invites_to_follow_it_is_no_text_of_a_service(label: str) -> None:
    button = f"<p><a class=button href=/more>{label}</a></p>"
    assert choice(f"<p>{TEXT}</p>{button}", [TEXT, label], "service") == [TEXT]
    assert choice(f"<p>{TEXT}</p>{button}", [TEXT, label], "documentation") == [TEXT, label]
    assert choice(f"<p>{TEXT}</p><p>{label}</p>", [TEXT, label], "service") == [TEXT, label]


def test_a_drawer_with_the_class_hidden_is_dropped_from_a_list() -> None:
    drawer = f"<section class='drawer {{}}'><h5>Compare</h5><p>{TEXT} Twice.</p></section>"
    boats = "".join(f"<h2>Boat {n}</h2><p>{TEXT} {n}.</p>" for n in range(6))
    for kind, names, expected in (
        ("collection", "hidden", False),
        ("collection", "hidden md:block", True),
        ("forum", "hidden", True),
    ):
        page = f"<div>{boats}{drawer.format(names)}</div>"
        texts = choice(page, ["Boat", TEXT, "Compare"], kind)
        assert ("Compare" in texts) is expected
    tabs = f"<div class=plans><ul class='plan'><li>{TEXT}</ul><ul class='plan hidden'><li>{TEXT} B."
    tabs += f"</ul><ul class='plan hidden'><li>{TEXT} C.</ul></div>"
    assert len(choice(boats + tabs, ["Boat", TEXT], "service")) == 15


def test_the_path_to_the_page_is_dropped() -> None:
    crumbs = "<div class=shop-breadcrumbs><a href=/b>Boats</a> &gt; Oars of ash</div>"
    html = f"{crumbs}<h1>Oars</h1><p>{TEXT} A.</p><p>{TEXT} B.</p>"
    assert "Boats > Oars of ash" not in choice(html, ["Boats", "Oars", TEXT], "product")


def test_tabs_of_pages_go_from_manuals():
    tabs = "".join(
        f"<li><h2><a href=/docs/{n}>By {n}</a></h2></li>" for n in ("oar", "sail", "rope")
    )
    html = f"<p>{TEXT}</p><ul>{tabs}</ul><h2>Steps</h2><p>{TEXT} Again.</p>"
    assert choice(html, [""], "documentation") == [TEXT, "Steps", f"{TEXT} Again."]


def test_a_row_of_related_pages_goes_from_services():
    row = "<section class='related-pages cards'><h2>Explore more</h2><h3>Oars</h3></section>"
    html = f"<p>{TEXT}</p>{row}"
    assert choice(html, [""], "service") == [TEXT]


def test_the_label_of_a_field_goes_from_products():
    fields = "<div><div>Quantity:</div><input type=number></div><div><p>Colour: blue</p></div>"
    assert choice(f"<p>{TEXT}</p>{fields}", [""], "product") == [TEXT, "Colour: blue"]


def test_a_list_that_is_all_of_a_section_is_kept_whole():
    sizes = "<ul><li>Oars of ash for rivers<li>Sails of linen for lakes<li>Rope</ul>"
    html = f"<p>{TEXT}</p><h3>In the box</h3>{sizes}<h3>Use</h3><p>{TEXT} Again.</p>"
    texts = choice(html, [TEXT, "In the box", "Rope", "Use"], "product")
    assert texts[2:5] == ["Oars of ash for rivers", "Sails of linen for lakes", "Rope"]
    page = read_page(f"<body><p>Sails of linen for lakes</p>{html}</body>")
    keep = [i not in (3, 4) for i in range(len(page.segments))]  # the sails are a copy
    assert not any(corrected(page, keep, "product")[3:5])


def test_a_list_without_links_is_complete_among_the_text_of_an_article():
    points = "<ul><li>The bell rings</li><li>The lamp is lit</li><li>The rope is cast</li></ul>"
    html = f"<p>{TEXT}</p>{points}<p>{TEXT} Again.</p>"
    assert len(choice(html, [TEXT, "lamp"])) == 5
    assert len(choice(html, [TEXT, "lamp"], "listing")) == 3
    assert len(choice(f"<p>{TEXT}</p>{points}", [TEXT, "lamp"])) == 2


def test_a_link_drawn_as_a_button_goes_from_articles():
    button = "<p><a class='btn btn-large' href='/poster'>Buy the poster</a></p>"
    html = f"<p>{TEXT}</p>{button}<p>{TEXT} Again.</p>"
    assert choice(html, [""]) == [TEXT, f"{TEXT} Again."]
    assert len(choice(html, [""], "documentation")) == 3
    more = "<a class=button href='/charts'>Charts of the lower harbour</a>"
    two = html.replace("</a>", f"</a> {more}")
    assert choice(two, [""]) == [TEXT, f"{TEXT} Again."]


def test_the_hint_to_scroll_a_table_goes():
    html = f"<p>{TEXT}</p><div class=table-scroll-hint>Scroll for more</div><p>{TEXT} Again.</p>"
    assert choice(html, [""]) == [TEXT, f"{TEXT} Again."]


@pytest.mark.parametrize(("site", "goes"), [("https://shop.test", True), ("", False)])
def test_a_link_to_another_site_below_the_label_of_an_advertisement_goes(site, goes):
    tip = f"<p>Anzeige</p><div>Tip: <a href='{site}/ropes'>Ropes of all lengths</a></div>"
    html = f"<p>{TEXT}</p>{tip}<p>{TEXT} Again.</p>"
    assert len(choice(html, [TEXT, "Ropes"], "listing")) == (2 if goes else 3)


@pytest.mark.parametrize(
    ("heading", "goes"),
    [
        ("<h2>Advertisement: Our book of knots</h2>", True),
        ("<h2>Anzeige: Unser Buch</h2>", True),
        ("<h2>广告：绳结之书</h2>", True),
        ("<h2>Advertisement</h2>", False),
        ("<h2>A history of advertising: boats</h2>", False),
    ],
)
def test_a_section_of_advertising_goes_with_its_heading(heading, goes):
    text = f"<p>{TEXT} Buy it.</p><h3>Order</h3><p>{TEXT} Now.</p>"
    html = f"<h2>Tides</h2><p>{TEXT}</p>{heading}{text}<h2>Piers</h2><p>{TEXT} Again.</p>"
    assert (len(choice(html, [""])) == 4) is goes
    last = f"<h2>Tides</h2><p>{TEXT}</p>{heading}{text}"
    assert f"{TEXT} Now." in choice(last, [""])


@pytest.mark.parametrize(
    ("closing", "name", "found"),
    [
        ("<p>See you on the quay,</p>", "<p>Orla F. Fennimoor</p>", True),
        ("<p>See you on the quay.</p>", "<p>Orla F. Fennimoor</p>", False),
        ("<p>See you on the quay,</p>", "<p><a href=/orla>Orla Fennimoor</a></p>", False),
        ("<p>See you on the quay,</p>", "<p>share this with all of your friends</p>", False),
    ],
)
def test_the_name_below_a_letter_is_added(closing, name, found):
    html = f"<div><p>{TEXT}</p>{closing}{name}</div>"
    assert (len(choice(html, [TEXT, "See you"])) == 3) is found


@pytest.mark.parametrize(
    ("line", "link", "found"),
    [
        ("021-794-3112", "mailto:quay@ferry.test", True),
        ("021-794-3112", "/contact", False),
        ("At the old pier", "mailto:quay@ferry.test", False),
    ],
)
def test_the_address_below_a_telephone_number_is_added(line, link, found):
    html = f"<p>{TEXT}</p><div><p>{line}</p><div><a href='{link}'>quay@ferry.test</a></div></div>"
    assert (len(choice(html, [TEXT, line], "service")) == 3) is found


@pytest.mark.parametrize(("names", "count"), [("btn btn-primary", 6), ("name", 8)])
def test_the_buttons_of_a_table_are_not_added(names, count):
    link = "<a class='" + names + "' href=/{0}>See the {0}</a>"
    row = "<tr><td>Boat {0}</td><td>" + link + "</td></tr>"
    table = f"<table>{''.join(map(row.format, ('first', 'next')))}<tr><td>Oar<td>Ash</tr></table>"
    html = f"<p>{TEXT}</p><p>{TEXT} {TEXT}</p>{table}"
    assert len(choice(html, [TEXT, "Boat", "Oar", "Ash"])) == count


@pytest.mark.parametrize(
    ("values", "added"),
    [
        (("Ash and elm", "Oak", "Oak", "Oak", "Pine"), True),
        (("Ash and elm", "Oak", "Oak", "Oak", "Oak"), False),
    ],
)
def test_values_of_a_field_that_recur_are_added_to_the_items_of_a_list(values, added):
    item = f"<li><p>{TEXT} {{0}}</p><div class=wood>Wood: {{1}}</div></li>".format
    items = "".join(item(n, value) for n, value in enumerate(values))
    texts = choice(f"<p>{TEXT}</p><ul>{items}</ul>", [TEXT, "elm"])
    assert (texts.count("Wood: Oak") == 3) is added


@pytest.mark.parametrize(
    ("line", "link", "found"),
    [
        ("Call the harbour office at:", "tel:+44123", True),
        ("Call the harbour office at:", "/call", False),
        ("Call the harbour office", "tel:+44123", False),
    ],
)
def test_a_number_that_a_line_announces_is_added(line, link, found):
    html = f"<p>{TEXT}</p><div><p>{line}</p><p><a href='{link}'>+44 123</a></p></div>"
    html += f"<p>{TEXT} Two.</p>"
    assert ("+44 123" in choice(html, [TEXT, line], "service")) is found


@pytest.mark.parametrize(("below", "count"), [("Menu", 4), (f"{TEXT} Three.", 4)])
def test_a_list_with_links_below_the_last_heading_is_complete(below, count):
    items = (
        "<li>Sizes of all boats and oars are in the <a href=/sizes>table</a>.</li>"
        "<li>Which of the woods? <a href=/wood>Here you find all of them</a>.</li>"
    )
    html = f"<p>{TEXT}</p><h3>Hints</h3><div><ul>{items}</ul></div><p>{below}</p>"
    assert len(choice(html, [TEXT, "Hints", "Sizes"])) == count


@pytest.mark.parametrize(
    ("line", "goes"), [("Learn more…", True), ("Mehr erfahren", True), ("Learn knots", False)]
)
def test_a_line_that_only_invites_to_follow_its_link_goes(line, goes):
    html = f"<p>{TEXT}</p><p><a href=/pier>{line}</a></p><p>{TEXT} Two.</p>"
    assert (line not in choice(html, [""])) is goes


def test_a_box_that_the_page_does_not_print_is_left_out():
    notice = f"This section is too short. Reason: {TEXT} {TEXT} {TEXT}"
    html = "".join(f"<p>{n} {TEXT}" for n in range(20))
    box = f"<div class='noprint message'><p><b>Notice</b></p><div>{notice}</div></div>"
    assert len(choice(html + box, ("",))) == 20
    assert len(choice(html + box.replace("noprint", "print"), ("",))) == 22
    assert len(choice(html + box.replace("message", "footnotes"), ("",))) == 22
    assert len(choice(f"<main class=noprint>{html}</main>", ("",))) == 20


def test_a_sidebar_beside_the_main_part_of_a_page_is_left_out():
    links = "<h3>Boats</h3><ul><li>Sails of old boats</li><li>Oars of old boats</li></ul>"
    text = "".join(f"<p>{n} {TEXT}" for n in range(9))
    html = f"<div id=docs-sidebar>{links}</div><div role=main class=with-sidebar>{text}</div>"
    for kind in ("article", "documentation"):
        assert len(choice(html, ("",), kind)) == 9
        assert len(choice(html.replace("docs-sidebar", "intro"), ("",), kind)) == 12
        assert len(choice(html.replace("role=main", "id=main"), ("",), kind)) == 12


def test_the_button_beside_the_heading_in_a_summary_is_left_out():
    summary = "<summary><div><h4>How boats float</h4></div><button>Show more</button></summary>"
    html = f"<p>{TEXT}</p><details>{summary}<p>{TEXT} They float.</p></details>"
    assert "Show more" not in choice(html, ("",), "documentation")
