import pytest

from printer.extraction.postprocess import complete_elements
from printer.html.page import read_page

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."


def choice(html, selected, kind="article", head=""):
    """Return the texts that are kept, of those a choice by text began with."""
    page = read_page(f"<html><head>{head}</head><body>{html}</body></html>")
    keep = [any(part in s.text for part in selected) for s in page.segments]
    flags = complete_elements(page, keep, kind)
    return [s.text for s, flag in zip(page.segments, flags, strict=True) if flag]


def test_a_quotation_keeps_its_source():
    html = f"<p>{TEXT}</p><blockquote><p>{TEXT} Yes.</p><footer>A sailor</footer></blockquote>"
    assert choice(html, [TEXT])[-1] == "A sailor"


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


def test_a_table_is_kept_whole_and_a_layout_table_is_not():
    table = (
        "<table><caption>Tides</caption><tr><th>High</th><td>five in the morning</td></tr>"
        "<tr><th>Low</th><td>noon</td></tr></table>"
    )
    paragraphs = f"<p>{TEXT}</p><p>{TEXT} Again.</p>"
    assert "noon" in choice(paragraphs + table, [TEXT, "High", "five", "Tides"])
    layout = f"<table><tr><td>Menu</td><td>{paragraphs}</td></tr></table>"
    assert "Menu" not in choice(layout, [TEXT])


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


def test_the_byline_below_the_points_of_an_article_goes():
    points = f"<ul><li>{TEXT} One.</li><li>{TEXT} Two.</li></ul>"
    line = "<p>By Ivo Halloran</p>"
    html = f"<h1>Ferries</h1>{points}{line}<p>{TEXT}</p><p>{TEXT} Indeed.</p>"
    assert "By Ivo Halloran" not in choice(html, ["Ferries", "Ivo", TEXT])
    below = f"<h1>Ferries</h1><p>{TEXT}</p><p>{TEXT} Indeed.</p>{line}<p>{TEXT} Yes.</p>"
    assert "By Ivo Halloran" in choice(below, ["Ferries", "Ivo", TEXT])


def test_rows_of_asterisks_between_scenes_are_kept():
    story = f"<div>* * *</div><p>{TEXT}</p><div>******</div><p>{TEXT} Again.</p><div>***</div>"
    assert choice(story, [TEXT]) == [TEXT, "******", f"{TEXT} Again."]


@pytest.mark.parametrize(
    ("teaser", "goes"),
    [
        ("<p><a href='/other'>The night the bridge at Wick was closed</a></p>", True),
        ("<div><b><a href='other'>The <i>night</i> the bridge was closed</a></b></div>", True),
        ("<p>(<a href='/other'>The night the bridge at Wick was closed</a>.)</p>", True),
        ("<p><a href='/other'>The night the bridge at Wick was closed</a>.</p>", False),
        ("<p>- <b> <a href='/other'>The night the bridge was closed</a></b></p>", True),
        ("<p><a href='https://elsewhere.test/'>The night the bridge was closed</a></p>", False),
        ("<p><a href='#note'>The night the bridge was closed</a></p>", False),
        ("<p><a href='/other'>The night the bridge</a> was closed</p>", False),
        ("<p><a href='/1'>The night the</a> <a href='/2'>bridge was closed</a></p>", False),
        ("<p><a href='/other'>The bridge</a></p>", False),
        ("<h2><a href='/other'>The night the bridge at Wick was closed</a></h2>", False),
    ],
)
def test_a_paragraph_that_is_a_link_to_another_page_goes_from_articles(teaser, goes):
    html = f"<p>{TEXT}</p>{teaser}<p>{TEXT} Again.</p>"
    selected = [TEXT, "The night", "bridge"]
    assert (len(choice(html, selected)) == 2) is goes
    assert len(choice(html, selected, kind="forum")) == 3


def test_a_page_of_nothing_but_links_is_about_them():
    links = "".join(f"<p><a href='/{n}'>The night of the bridge {n}</a></p>" for n in range(3))
    assert len(choice(links, ["night"])) == 3


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
    "label", ["Advertisement", "Anzeige", "広告", "— Sponsored —", "Sponsored: Try it!"]
)
def test_the_label_of_an_advertisement_goes(label):
    assert choice(f"<p>{TEXT}</p><p>{label}</p>", [TEXT, label], "forum") == [TEXT]


def test_a_sentence_about_advertising_is_no_label():
    text = "Advertising: show the lamps to those who have looked at them before, on any page."
    assert choice(f"<p>{TEXT}</p><p>{text}</p>", [TEXT, text]) == [TEXT, text]


def test_actions_on_a_post_are_dropped_but_not_headings_with_their_names():
    links = "<div><a href=#>Like</a> (4) <a href=#>Quote</a> <a href=#>Report</a></div>"
    html = f"<h2>Report</h2><p>{TEXT}</p>{links}"
    assert choice(html, ["Report", TEXT], "forum") == ["Report", TEXT]


def test_the_byline_goes_since_the_title_block_has_it():
    html = f"<h1>Ferries</h1><p>By Ivo Halloran, reporter</p><p>{TEXT}</p><p>Ivo Halloran</p>"
    head = '<meta name="author" content="Ivo Halloran">'
    assert choice(html, ["Ivo", TEXT], head=head) == [TEXT]


def test_the_byline_goes_below_a_long_title_too():
    title = "Counting the Sound: thirteen decades of parishes, boats and lamps lit in windows"
    html = f"<h1>{title}</h1><p>Ivo Halloran</p><p>{TEXT}</p>"
    head = '<meta name="author" content="Ivo Halloran">'
    assert choice(html, [title, "Ivo", TEXT], head=head) == [title, TEXT]


def test_a_row_of_links_at_the_end_goes():
    row = '<a href="next.html">Next page: Mice!</a> | <a href="#top">Back to top</a>'
    html = f"<h1>Ferries</h1><p>{TEXT}</p><center>{row}</center>"
    assert choice(html, [TEXT, "Next page"]) == [TEXT]
    named = '<p>It runs from <a href="a.html">Kester</a> to <a href="b.html">Sarrabad</a>.</p>'
    assert len(choice(f"<h1>Ferries</h1><p>{TEXT}</p>{named}", [TEXT, "It runs"])) == 2


def test_a_box_of_related_content_goes_with_its_introduction():
    box = "<div class='RelatedContent-box'><h2>More views</h2><p>Here are more of them.</p></div>"
    html = f"<p>{TEXT}</p>{box}<p>{TEXT} Again.</p>"
    assert choice(html, [""]) == [TEXT, f"{TEXT} Again."]


def test_a_box_that_calls_to_action_goes():
    for name in ("recipe-cta", "card_cta_2", "call-to-action__title", "follow-popup", "ss-modal"):
        box = f'<div class="{name}">Tag us</div>'
        html = f"<h1>Plums</h1><p>{TEXT}</p>{box}<p>{TEXT} Indeed.</p>"
        assert choice(html, [TEXT, "Tag us"]) == [TEXT, f"{TEXT} Indeed."]


def test_text_above_the_title_is_dropped():
    html = f"<p>News of the day</p><h1>Ferries at dawn</h1><p>{TEXT}</p>"
    selected = choice(html, ["News", "Ferries", TEXT], head="<title>Ferries at dawn</title>")
    assert selected == ["Ferries at dawn", TEXT]


def test_a_copyright_line_at_the_end_goes():
    line = "Made by hand. © Basil Underhill 1999-2003."
    html = f"<p>{TEXT}</p><p>The sign © is older than one thinks.</p><p>{TEXT} Two.</p>"
    assert len(choice(f"{html}<p>{line}</p>", [TEXT, "©"])) == 3


@pytest.mark.parametrize(
    "line",
    [
        "<strong>Read also:</strong> <a href='/nets'>How to mend a net in winter</a>",
        "यह भी पढ़ें: <a href='https://example.org/a'>बाँध के पास नया पुल बनकर तैयार</a>",
        "[相关阅读：<a href='b'>旧码头将改建为书店</a>]",
    ],
)
def test_a_line_that_points_to_another_page_of_the_site_goes(line):
    page = f"<base href='https://example.org/x'><p>{TEXT}</p><p>{line}</p><p>{TEXT} 2</p>"
    assert choice(page, [""]) == [TEXT, f"{TEXT} 2"]


@pytest.mark.parametrize(
    "line",
    [
        "Source: <a href='https://other.example.net/a'>The book of nets and boats</a>",
        "Genre: <a href='/r'>Romance</a>",
        "Supper: <a href='/r'>Soup of mussels and leeks</a> with bread.",
        "Uses: <a href='/r'>mending nets by hand</a> and <a href='/b'>building boats by hand</a>",
        "Remember what was said: <a href='#top'>nets are mended in winter</a>",
        "The council has decided it at last, as <a href='/b'>the minutes of May say</a>",
    ],
)
def test_a_sentence_with_links_stays(line):
    page = f"<base href='https://example.org/x'><p>{TEXT}</p><p>{line}</p><p>{TEXT} 2</p>"
    assert len(choice(page, [""])) == 3


def test_links_of_a_saved_page_point_within_its_declared_site():
    link = "<a href='https://example.org/a'>How nets are mended</a>"
    html = f"<p>{TEXT}</p><blockquote>See also: {link}</blockquote><p>{TEXT} 2</p>"
    head = "<link rel=canonical href='https://example.org/x'>"
    assert choice(html, [""], head=head) == [TEXT, f"{TEXT} 2"]
    assert len(choice(html, [""])) == 3


def test_a_label_is_dropped_with_its_content():
    stories = "<ul><li>Another story</li><li>And a third one</li></ul>"
    html = f"<p>{TEXT}</p><p>Read on:</p>{stories}<p>{TEXT} 2</p>"
    assert choice(html, [TEXT, "Read on"]) == [TEXT, f"{TEXT} 2"]
    assert choice(html, ["e"]) == [
        TEXT,
        "Read on:",
        "Another story",
        "And a third one",
        f"{TEXT} 2",
    ]


@pytest.mark.parametrize(
    ("label", "goes"),
    [
        ("<p>You may want to know more about the harbour and its boats:</p>", True),
        ("<div>Read also</div>", True),
        ("<p>You may want to know more about the harbour and its boats.</p>", False),
        ("<h3>The three best boats of the harbour, of which one is new:</h3>", False),
    ],
)
def test_a_label_goes_if_a_link_to_another_story_below_it_went(label, goes):
    html = f"<p>{TEXT}</p>{label}<p><a href='/other'>The bridge</a></p><p>{TEXT} 2</p>"
    assert (len(choice(html, [TEXT, "You", "Read", "best"])) == 2) is goes


@pytest.mark.parametrize(("line", "goes"), [("Which is best?", True), ("These are best.", False)])
def test_the_question_of_a_poll_goes(line, goes):
    poll = f"<div><p>{line}</p><input type=radio><label>Tea</label><input type=radio></div>"
    text = "".join(f"<p>{TEXT} {day}</p>" for day in range(6))
    assert (len(choice(text + poll, [TEXT, "best"])) == 6) is goes


def test_the_times_of_a_running_report_are_kept():
    html = f"<p>{TEXT}</p><p>12.30pm:</p><p>{TEXT} Again.</p><p>0:45</p><p>{TEXT} Yes.</p>"
    assert choice(html, [TEXT])[1] == "12.30pm:"
    assert len(choice(html, [TEXT])) == 4


def test_a_long_statement_of_rights_goes_from_short_news():
    news = "<p>渡轮将于三月停航，港务局周二宣布，因为渡轮的发动机第三次没有通过检查。</p>"
    rights = "<p>凡注明来自其他媒体的文章，转载并不代表本网赞同其观点。</p><p>电话：021-5550199</p>"
    assert len(choice(news + rights, [""])) == 1
    long = f"<p>Żadna część artykułu nie może być powielana. {TEXT * 5}</p>"
    assert len(choice(f"<p>{TEXT * 3}</p><p>{TEXT * 4} Again.</p>{long}", [""])) == 2


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Ada Byrne writes about harbours, boats and those who wait for them.", True),
        ("About the author: Ada Byrne has lived in harbours all her life.", True),
        ("The last boat of the evening, as Ada Byrne saw, was never late.", False),
    ],
)
def test_a_note_about_the_author_at_the_end_goes(line, goes):
    head = "<meta name=author content='Ada Byrne'>"
    html = f"<p>{TEXT}</p><p>{TEXT} Again.</p><p>{line}</p>"
    assert (len(choice(html, [TEXT, line], head=head)) == 2) is goes


def test_a_line_of_author_and_date_above_the_text_goes_in_any_language():
    page = f"<h1>Nets</h1><div>โดย มาลี วงศ์ทอง · 7 มิถุนายน 2567</div><p>{TEXT}</p>"
    head = "<meta name=author content='มาลี วงศ์ทอง'>"
    assert choice(page, ["โดย", TEXT], "forum", head) == [TEXT]


def test_a_paragraph_without_spaces_is_no_byline():
    text = (
        "渡し船は夜明けに港を出る。岸壁の人々は遅れることがないと、港の新聞の山田花子は書いている。"
    )
    head = "<title>渡し船の朝</title><meta name='author' content='山田花子'>"
    html = f"<p>{text}</p><p>{text}翌朝も同じだった。</p><footer>渡し船の朝</footer>"
    assert len(choice(html, [text], head=head)) == 2


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


@pytest.mark.parametrize("names", ["commentary", "commented", "post comments-open"])
def test_names_that_only_resemble_those_of_comments_are_kept(names):
    article = "".join(f"<p>{TEXT} Crossing {n}.</p>" for n in range(9))
    assert len(choice(f'{article}<div class="{names}"><p>Ann writes.</p></div>', ["", ""])) == 10


LINKS = "".join(f"<li><a href='/{n}'>The night of the bridge {n}</a></li>" for n in range(3))


@pytest.mark.parametrize(
    "stories",
    [
        f"<h3>Related articles</h3><ul>{LINKS}</ul>",
        f"<div><h3>Das könnte Sie auch interessieren</h3><div><ul>{LINKS}</ul></div></div>",
        f"<p><b>Читайте также:</b></p><ul>{LINKS}</ul>",
        f"<section><p>関連記事</p><ul>{LINKS}</ul></section>",
        f"<div><h4>यह भी पढ़ें</h4>{LINKS}</div>",
        "<p>Les også: <a href='https://elsewhere.test/1'>The bridge at night</a></p>",
        "<li>Lea también: <a href='/1'>Bridge</a></li>",
    ],
)
def test_lists_of_other_stories_go_with_their_labels(stories):
    html = f"<p>{TEXT}</p><p>{TEXT} Twice.</p>{stories}<p>{TEXT} Again.</p>"
    selected = choice(html, [""])
    assert selected == [TEXT, f"{TEXT} Twice.", f"{TEXT} Again."]


@pytest.mark.parametrize(
    "text",
    [
        f"<h3>Recommended</h3><p>{TEXT} Thrice.</p>",
        "<p>Read more: the library has it all.</p>",
        f"<h3>Bridges</h3><ul>{LINKS}</ul>",
    ],
)
def test_text_that_is_no_list_of_other_stories_stays(text):
    html = f"<p>{TEXT}</p><p>{TEXT} Twice.</p>{text}"
    assert len(choice(html, [""])) == len(read_page(html).segments)


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


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("<p><strong>More about our harbour</strong></p>", True),
        ("<h3>More about our harbour</h3>", True),
        ("<p>More about <strong>our harbour</strong></p>", False),
        ("<h1>More about our harbour</h1>", False),
    ],
)
def test_a_line_that_heads_only_stories_left_out_goes(line, goes):
    stories = '<p><a href="/pier">Piers of old</a></p><p><a href="/boat">The new boats</a></p>'
    html = f"<p>{TEXT}</p>{line}{stories}<h3>Quays</h3><p>{TEXT} Again.</p>"
    assert (len(choice(html, ["ferry", "More", "Quays"])) == 3) is goes
    going_on = html.replace("<h3>Quays</h3>", "<p>The quays are busy.</p>")
    assert len(choice(going_on, ["ferry", "More", "quays"])) == 4


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Join our mailing list!", True),
        ("Folgt mir auf Instagram: @harbour", True),
        ("Подписывайтесь на подкаст!", True),
        ("Follow me, said the pilot.", False),
        ("The quay is on Instagram.", False),
    ],
)
def test_requests_to_follow_go_from_the_end(line, goes):
    html = f"<p>{TEXT}</p><p>{TEXT} Again.</p><p>{line}</p><p>Thanks to the pilot.</p>"
    assert (len(choice(html, [""])) == 3) is goes
    above = f"<p>{line}</p>" + f"<p>{TEXT}</p>" * 4
    assert len(choice(above, [""])) == 5


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
    ("text", "goes"),
    [
        ("For more of this, sign up to our newsletter.", True),
        ("Войдите, чтобы оставить комментарий (сейчас комментариев: 0)", True),
        ("An dieser Stelle finden Sie externen Inhalt, der den Artikel ergänzt.", True),
        ("有料会員になると会員限定の有料記事もお読みいただけます。", True),
        ("Подписывайтесь на наш канал!", True),
        ("The newsletter of the harbour appears on Mondays.", False),
        (f"Sign up for our newsletter. {TEXT} {TEXT} {TEXT}", False),
    ],
)
def test_notices_go_from_articles(text, goes):
    html = f"<p>{TEXT}</p><p>{text}</p><p>{TEXT} Again.</p>"
    assert (len(choice(html, [""])) == 2) is goes
    assert len(choice(html, [""], kind="forum")) == 3


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Were you on the quay? Get in touch at news@harbour.example", True),
        ("“Who is there?” asked pilot@harbour.example in a letter to the keeper.", False),
    ],
)
def test_a_question_to_readers_with_an_address_goes_from_dated_articles(line, goes):
    html = f"<p>{TEXT}</p><p>{line}</p><p>{TEXT} Again.</p>"
    head = "<meta property='article:published_time' content='2024-05-03'>"
    assert (len(choice(html, [""], head=head)) == 2) is goes
    assert len(choice(html, [""])) == 3


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


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("<p>By Ivo Halloran</p>", True),
        ("<p>Last updated at 10:55 AM on 12th January 2012</p>", True),
        ("<p>12.01.2012 | 13:02</p>", True),
        ("<p>The pier burned down on 12 January 2012.</p>", False),
        ("<p>By the sea</p>", False),
        ("<p>Ferries of 12 January 2012</p>", False),
    ],
)
def test_lines_of_author_and_date_above_the_text_go(line, goes):
    head = "<title>Ferries of 12 January 2012</title><meta name='date' content='2012-01-12'>"
    texts = choice(f"{line}<p>{TEXT}</p><p>{TEXT} Again.</p>", [""], head=head)
    assert (len(texts) == 2) is goes
    assert goes or len(choice(f"{line}<p>{TEXT}</p>", [""], kind="forum", head=head)) == 2


def test_a_date_below_the_caption_of_the_first_picture_goes():
    head = "<meta name='date' content='2012-01-12'>"
    caption = f"<p class=leadCaption>{TEXT} Here it leaves.</p>"
    texts = choice(
        f"<p>{TEXT}</p>{caption}<p>Published 12 January 2012</p><p>{TEXT} Again.</p>",
        [""],
        head=head,
    )
    assert texts == [TEXT, f"{TEXT} Here it leaves.", f"{TEXT} Again."]


def test_a_date_line_stays_if_it_is_the_only_date():
    line = "Last updated on 12 January 2012"
    assert choice(f"<p>{line}</p><p>{TEXT}</p>", [""]) == [line, TEXT]


def test_a_byline_below_a_standfirst_goes_but_not_one_in_the_text():
    by = "<p>By Ivo Halloran</p>"
    assert choice(f"<p>{TEXT}</p>{by}<p>{TEXT} Again.</p>", [""]) == [TEXT, f"{TEXT} Again."]
    assert len(choice(f"<p>{TEXT}</p><p>{TEXT} Again.</p>{by}<p>{TEXT} Once more.</p>", [""])) == 4


@pytest.mark.parametrize("line", ["Views: 1,204", "Прочтений: 593", "点击次数：88"])
def test_a_count_of_readers_at_the_end_goes(line):
    assert choice(f"<p>{TEXT}</p><p>{line}</p>", [""]) == [TEXT]
    assert len(choice(f"<p>{TEXT}</p><p>{line}</p><p>{TEXT} Again.</p>", [""])) == 3


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


def test_an_address_with_the_authors_name_is_no_byline():
    line = "Code: https://example.org/ivo/tides"
    meta = "<meta name=author content=Ivo>"
    assert line in choice(f"<h1>Tides</h1><p>{line}</p><p>{TEXT}</p>", [""], head=meta)


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("<p><a href='/agency'>Harbour News Agency</a></p>", True),
        ("<p>Source: Harbour News Agency</p>", True),
        ("<p>（責任編輯：年巍）</p>", True),
        ("<p>All rights reserved by the harbour.</p><p>Write to us before you copy it.</p>", True),
        ("<p>Tides: Wick, Thurso</p>", False),
        ("<p>Towns: <a href='/w'>Wick</a>, <a href='/t'>Thurso</a></p>", False),
        ("<p>(1922)</p>", False),
        ("<p><a href='#top'>The end</a></p>", False),
    ],
)
def test_the_sites_own_lines_at_the_end_go(line, goes):
    again = f"{TEXT} Again. {TEXT}"
    selected = [TEXT, again]
    assert (choice(f"<p>{TEXT}</p><p>{again}</p>{line}", [""]) == selected) is goes
    assert len(choice(f"<p>{TEXT}</p>{line}<p>{again}</p>", [""])) > 2 or "rights" in line


@pytest.mark.parametrize(
    ("label", "goes"),
    [("MORE HERE |", True), ("»", True), ("More: ", True), ("2031 |", False), ("And so", False)],
)
def test_a_label_with_a_link_to_another_story_goes(label, goes):
    line = f"<p><b>{label}</b> <a href='/other'>The night the bridge was closed</a></p>"
    selected = choice(f"<p>{TEXT}</p>{line}<p>{TEXT} Again.</p>", [TEXT, "night"])
    assert (len(selected) == 2) is goes


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        (">> Do you want a boat? Our large <a href='/boats'>list of boats</a> has them all.", True),
        ("»No boat is <a href='/late'>late</a>«, said a man on the quay.", False),
        (">> Do you want a boat? Ask the <a href='https://quay.test/'>quay</a>.", False),
    ],
)
def test_a_line_that_an_arrow_begins_leads_to_another_page(line, goes):
    selected = choice(f"<p>{TEXT}</p><p>{line}</p><p>{TEXT} Again.</p>", [""])
    assert (len(selected) == 2) is goes


@pytest.mark.parametrize("kind", ["article", "service"])
def test_tooltips_are_dropped(kind):
    tip = "<div class='help__tooltip'><p>Enter your town.</p></div>"
    inline = f"<p>{TEXT} <span class='tooltip'>tides</span></p>"
    html = f"<p>{TEXT}</p><p>{TEXT} Two.</p>{tip}{inline}<p>{TEXT} Three.</p>" * 2
    selected = choice(html, [TEXT, "Enter"], kind)
    assert "Enter your town." not in selected
    assert len(selected) == 8


def test_notices_of_a_wiki_go():
    note = (
        "<div role='note' class='hatnote navigation-not-searchable'>You can help by adding.</div>"
    )
    box = "<table class='metadata ambox'><tr><td>This needs expansion.</td></tr></table>"
    html = f"<p>{TEXT}</p>{note}{box}<p class='flambox'>{TEXT} Two.</p>" * 2
    assert choice(html, [TEXT, "You", "This"]) == [TEXT, f"{TEXT} Two."] * 2


@pytest.mark.parametrize(
    "line",
    ["orla@example.org", "Twitter: @orla", "Спасибо! Ваше мнение учтено.", "Rate this article"],
)
def test_the_site_s_own_last_line_goes(line):
    assert choice(f"<p>{TEXT}</p>" * 3 + f"<p>{line}</p>", [TEXT, line]) == [TEXT] * 3


def test_a_line_above_the_text_that_is_named_a_byline_goes():
    html = f"<h1>Ferries</h1><p class=hn-byline>(AFP) – 2 days ago</p><p>{TEXT}</p>"
    assert choice(html, ["AFP", TEXT]) == [TEXT]


def test_a_few_choices_of_a_form_go():
    orders = ("By price, from low", "By price, from high", "By age", "By name")
    items = "".join(f"<li><input type=radio name=o><label>{text}</label></li>" for text in orders)
    html = f"<ul>{items}</ul><p>{TEXT}</p>"
    assert choice(html, [orders[1], TEXT], kind="collection") == [TEXT]


def test_a_card_of_another_story_in_the_text_goes():
    card = f"<ul><li><img src=a.jpg><h3><a href=/b>The boat that never came</a></h3><p>{TEXT}</p></li></ul>"
    paragraphs = f"<p>{TEXT}</p>" * 3
    assert choice(paragraphs + card + paragraphs, [""]) == [TEXT] * 6
    assert len(choice(paragraphs + card * 3, [""])) == 9
    box = (
        "<div><div><h2><a href=/b>The boat that never came</a></h2></div>"
        f"<div><a href={{}}><img src=a.jpg></a><p>{TEXT} <a href=/b>more</a></p></div></div>"
    )
    assert choice(paragraphs + box.format("/b") + paragraphs, [""]) == [TEXT] * 6
    assert len(choice(paragraphs + box.format("/a.jpg") + paragraphs, [""])) == 8
    assert len(choice(paragraphs * 2 + box.format("/b") * 3, [""])) > 6


def test_items_left_out_as_copies_complete_their_list():
    boats = (
        f"<ul><li>{name} of Wick</li><li>3 m</li><li>Masts</li></ul>" for name in ("Ada", "Bo")
    )
    page = read_page(f"<p>{TEXT}</p>{''.join(boats)}<ul><li>Cy</li><li>2 m</li><li>None</li></ul>")
    flags = complete_elements(page, [True] * 5 + [True, False, True, True, False], "product")
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
    [(("1", "2"), True), (("4", "5"), True), (("1", "3"), False), (("7",), False)],
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


def test_a_newswire_after_the_text_goes():
    wire = "".join(
        f"<dt>10:{n}0 <a href='/{n}'>The harbour of Wick is closed</a></dt><dd>Nobody knows why.</dd>"
        for n in range(5)
    )
    html = f"<p>{TEXT}</p>" * 6 + f"<dl>{wire}</dl>"
    assert choice(html, [TEXT, "harbour", "Nobody"]) == [TEXT] * 6
    terms = wire.replace("<a", "<b").replace("</a", "</b")
    assert len(choice(html.replace(wire, terms), [TEXT, "harbour", "Nobody"])) == 16
