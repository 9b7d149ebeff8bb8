"""The lines that a site adds to an article are dropped."""

import re
import time

import pytest

from printer.extraction.boilerplate import drop_other_stories
from printer.extraction.selected_text import SelectedText
from printer.html.page import read_page
from tests.support.selections import TEXT, choice


def test_the_byline_below_the_points_of_an_article_goes():
    points = f"<ul><li>{TEXT} One.</li><li>{TEXT} Two.</li></ul>"
    line = "<p>By Ivo Halloran</p>"
    html = f"<h1>Ferries</h1>{points}{line}<p>{TEXT}</p><p>{TEXT} Indeed.</p>"
    assert "By Ivo Halloran" not in choice(html, ["Ferries", "Ivo", TEXT])
    below = f"<h1>Ferries</h1><p>{TEXT}</p><p>{TEXT} Indeed.</p>{line}<p>{TEXT} Yes.</p>"
    assert "By Ivo Halloran" in choice(below, ["Ferries", "Ivo", TEXT])


@pytest.mark.parametrize(
    ("teaser", "goes"),
    [
        ("<p><a href='/other'>The night the bridge at Wick was closed</a></p>", True),
        ("<div><b><a href='other'>The <i>night</i> the bridge was closed</a></b></div>", True),
        ("<p>(<a href='/other'>The night the bridge at Wick was closed</a>.)</p>", True),
        ("<p><a href='/other'>The night the bridge at Wick was closed</a>.</p>", False),
        ("<p>- <b> <a href='/other'>The night the bridge was closed</a></b></p>", True),
        ("<p><a href='https://elsewhere.test/'>The night the bridge was closed</a></p>", False),
        ("<p>[<a href='https://elsewhere.test/'>The night the bridge was closed</a>]</p>", True),
        ("<p><a href='#note'>The night the bridge was closed</a></p>", False),
        ("<p><a href='/other'>The night the bridge</a> was closed</p>", False),
        ("<p><a href='/1'>The night the</a> <a href='/2'>bridge was closed</a></p>", False),
        ("<p><a href='/bridge'>https://bridge.example/the-night</a></p>", False),
        ("<p><a href='/other'>The bridge</a></p>", False),
        ("<h2><a href='/other'>The night the bridge at Wick was closed</a></h2>", False),
    ],
)
def test_a_paragraph_that_is_a_link_to_another_page_goes_from_articles(teaser, goes):
    html = f"<p>{TEXT}</p>{teaser}<p>{TEXT} Again.</p>"
    selected = [TEXT, "The night", "bridge"]
    assert (len(choice(html, selected)) == 2) is goes
    assert len(choice(html, selected, kind="forum")) == 3


def test_a_link_between_the_lines_of_a_paragraph_belongs_to_it():
    link = "<a href='/other'>The night the bridge at Wick was closed</a>"
    amid = f"<p>{TEXT}<br>March<br>{link}<br>A play in two acts, without a bridge.<br>April</p>"
    assert len(choice(amid, [""])) == 5
    assert len(choice(f"<p>{TEXT}<br>March<br>{link}</p><p>{TEXT} Again.</p>", [""])) == 3
    assert len(choice(f"<p>{TEXT}<br>{link}<br>{link}<br>March</p>", [""])) == 2
    assert len(choice(amid.replace("The night", "More: the night"), [""])) == 4


@pytest.mark.parametrize(
    ("link", "goes"),
    [
        ("Read the full review of the boat {}", True),
        ("Tested: the boat {} is fast", True),
        ("The slow old boat {} of the north", False),
    ],
)
def test_links_below_the_text_of_entries_go_unless_they_are_names(link, goes):
    entry = "<div><h2>Boat {0}</h2><p>{1} {0}.</p><p><a href=/{0}>{2}</a></p></div>".format
    names = ("Gull", "Tern", "Auk", "Crow")
    html = "".join(entry(name, TEXT, link.format(name)) for name in names)
    assert (len(choice(html, [""])) == 8) is goes


def test_a_page_of_nothing_but_links_is_about_them():
    links = "".join(f"<p><a href='/{n}'>The night of the bridge {n}</a></p>" for n in range(3))
    assert len(choice(links, ["night"])) == 3


def test_the_byline_goes_since_the_title_block_has_it():
    html = f"<h1>Ferries</h1><p>By Ivo Halloran, reporter</p><p>{TEXT}</p><p>Ivo Halloran</p>"
    head = '<meta name="author" content="Ivo Halloran">'
    assert choice(html, ["Ivo", TEXT], head=head) == [TEXT]


def test_a_byline_that_is_as_long_as_a_paragraph_goes():
    names = (
        "Ivo Halloran, Tam Reed, Una Calder and Odo Marsh - Harbours and Lamps Team of Kester Sound"
    )
    html = f"<h1>Ferries</h1><div>Posted by {names}<p>{TEXT}</p></div>"
    assert choice(html, ["Ivo", TEXT]) == [TEXT]
    prose = (
        "By Kester harbour they say that the boats of the Sound were never once late for the tide"
    )
    assert choice(f"<h1>Ferries</h1><p>{prose}</p><p>{TEXT}</p>", ["By", TEXT]) == [prose, TEXT]


def test_a_line_named_as_metadata_above_the_text_goes():
    html = f"<h1>Ferries</h1><p class='{{}}'>Renewed: January 12</p><p>{TEXT}</p><p>{TEXT} Yes.</p>"
    assert len(choice(html.format("post-meta-note"), [""])) == 3
    assert len(choice(html.format("post-metal"), [""])) == 4


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


def test_text_above_the_title_is_dropped():
    html = f"<p>News of the day</p><h1>Ferries at dawn</h1><p>{TEXT}</p>"
    selected = choice(html, ["News", "Ferries", TEXT], head="<title>Ferries at dawn</title>")
    assert selected == ["Ferries at dawn", TEXT]


def test_text_above_a_link_to_the_page_itself_stays():
    lines = "Dawn comes late.<br>The ferry waits.<br>Nobody talks.<br>Gulls circle."
    html = f"<p>{lines}</p><aside><ul><li>Ferries at dawn</li></ul></aside>"
    head = "<title>Ferries at dawn</title>"
    selected = choice(html, ["Dawn", "ferry", "Nobody", "Gulls"], head=head)
    assert selected == lines.split("<br>")


def test_teasers_outside_the_box_of_title_and_text_are_dropped():
    teasers = f"<div class=slider><p>{TEXT} Elsewhere.</p></div>"
    text = f"<p>{TEXT}</p><p>{TEXT} Again.</p><p>{TEXT} And again.</p>"
    head = "<title>Ferries at dawn</title>"
    html = f"{teasers}<div><b>Ferries at dawn</b>{text}</div>"
    assert choice(html, [TEXT], head=head)[0] == TEXT
    within = f"<div><p>{TEXT} First.</p><b>Ferries at dawn</b>{text}</div>"
    assert choice(within, [TEXT], head=head)[0] == f"{TEXT} First."
    below = f"{teasers}{text}<div><b>Ferries at dawn</b><p>{TEXT} More.</p></div>"
    assert choice(below, [TEXT], head=head)[0] == f"{TEXT} Elsewhere."


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


def test_a_pointer_like_more_other_lines_stays():
    other = "<p>Learn more: <a href='/b'>Nets</a> and <a href='/c'>Ropes</a></p><p>{}</p>"
    pointer = "<p>Learn more: <a href='/a'>How to mend a net</a></p>"
    pages = (other.format(TEXT) * number + pointer for number in (1, 2))
    assert [any("mend" in line for line in choice(page, [""])) for page in pages] == [False, True]


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


@pytest.mark.parametrize("kind", ["article", "product", "collection", "service"])
def test_text_below_the_unselected_heading_of_other_stories_goes(kind):
    card = "<article><p>The bridge</p><p>How it was built, in three parts.</p></article>"
    html = f"<p>{TEXT}</p><p>{TEXT} 2</p><section><h2>{{}}</h2>{card}</section>"
    assert choice(html.format("Vous aimerez aussi"), [TEXT, "How"], kind) == [TEXT, f"{TEXT} 2"]
    assert len(choice(html.format("The bridge, also"), [TEXT, "How"], kind)) == 3
    headed = html.replace("<h2>{}</h2>", "<div><h2>Vous aimerez aussi</h2><a href=/>Tout</a></div>")
    assert choice(headed, [TEXT, "How"], kind) == [TEXT, f"{TEXT} 2"]
    beside = headed.replace("</section>", f"<p>{TEXT} 3</p></section>")
    assert len(choice(beside, [TEXT, "How"], kind)) == 4
    main = html.replace("h2>", "h1>").format("Vous aimerez aussi")
    assert len(choice(main, [TEXT, "How"], kind)) == 3


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


def test_a_long_statement_of_rights_goes_from_short_news():
    news = "<p>渡轮将于三月停航，港务局周二宣布，因为渡轮的发动机第三次没有通过检查。</p>"
    rights = "<p>凡注明来自其他媒体的文章，转载并不代表本网赞同其观点。</p><p>电话：021-5550199</p>"
    assert len(choice(news + rights, [""])) == 1
    long = f"<p>Żadna część artykułu nie może być powielana. {TEXT * 5}</p>"
    assert len(choice(f"<p>Once {TEXT * 3}</p><p>{TEXT * 4} Again.</p>{long}", [""])) == 2


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


LINKS = "".join(f"<li><a href='/{n}'>The night of the bridge {n}</a></li>" for n in range(3))


@pytest.mark.parametrize(
    "stories",
    [
        f"<h3>Related articles</h3><ul>{LINKS}</ul>",
        f"<div><h3>Das könnte Sie auch interessieren</h3><div><ul>{LINKS}</ul></div></div>",
        f"<p><b>Читайте также:</b></p><ul>{LINKS}</ul>",
        f"<section><p>関連記事</p><ul>{LINKS}</ul></section>",
        f"<p>If this was fun, you might also like:</p><ul>{LINKS}</ul>",
        f"<div><h4>यह भी पढ़ें</h4>{LINKS}</div>",
        "<p>Les også: <a href='https://elsewhere.test/1'>The bridge at night</a></p>",
        "<li>Lea también: <a href='/1'>Bridge</a></li>",
    ],
)
def test_lists_of_other_stories_go_with_their_labels(stories):
    html = f"<p>{TEXT}</p><p>{TEXT} Twice.</p>{stories}<p>{TEXT} Again.</p>"
    selected = choice(html, [""])
    assert selected == [TEXT, f"{TEXT} Twice.", f"{TEXT} Again."]


def test_boxes_of_other_stories_below_their_label_go_whole():
    box = f"<div class=box><a href='/{{n}}'>The night of the bridge {{n}}</a><br>{TEXT} {{n}}</div>"
    boxes = "<br>".join(box.format(n=n) for n in range(4))
    text = "".join(f"<p>{TEXT} Day {n}.</p>" for n in range(6))
    for label, count in (("Read also:", 6), ("Bridges", 11)):
        assert len(choice(f"{text}<div><h3>{label}</h3>{boxes}</div>", [""])) == count


@pytest.mark.parametrize("below", ["", "<i></i>" * 20, "<div><a href=/x>A story</a></div>"])
def test_labels_of_other_stories_are_examined_in_linear_time(below):
    page = read_page(f"<p>{TEXT}</p>" + f"<p>Read also</p>{below}" * 8_000)
    selected = SelectedText(page, [True] * len(page.segments))
    started = time.process_time()
    drop_other_stories(selected)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("below", "goes"),
    [
        ("<div>Next</div>", True),
        ("<p><a href='https://b.test/'>b.test</a></p>", False),
        ("<div class=Paywall-box><h2>For members</h2></div>", False),
        ("<div class=no-paywall><h2>For members</h2></div>", True),
    ],
)
def test_a_last_line_that_announces_nothing_goes(below, goes):
    line = f"<p>{TEXT}</p><p>All that happened on the river we tell you here at any time:</p>"
    assert (len(choice(f"{line}{below}", [TEXT, "All"])) == 1) is goes


def test_a_heading_with_an_anchor_is_no_other_story():
    heading = "<h2><a name=why>Why it was closed</a></h2>"
    html = f"<p>{TEXT}</p><div>Share this</div>{heading}<p>{TEXT} Twice.</p>"
    assert choice(html, [""]) == [TEXT, "Why it was closed", f"{TEXT} Twice."]


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


@pytest.mark.parametrize(
    ("heading", "host", "goes"),
    [
        ("<h2>⛵ More Harbour Guides</h2>", "", True),
        ("<h2>Other posts on boats</h2>", "", True),
        ("<h3>Weitere Rezepte aus dem Hafen</h3>", "", True),
        ("<h3>Autres recettes</h3>", "", True),
        ("<h3>Ещё больше новости</h3>", "", True),
        ("<h2>Boats that you may also like</h2>", "", True),
        ("<p><b>Related articles and links:</b></p>", "", True),
        ("<h2>More Harbour Guides</h2>", "https://b.test", False),
        ("<h2>More winners</h2>", "", False),
        ("<h2>Guides of the harbour</h2>", "", False),
        ("<p>More articles of the crew</p>", "", False),
    ],
)
def test_a_list_of_links_to_the_site_goes_with_a_heading_that_names_other_stories(
    heading, host, goes
):
    items = f"<li>2 May: <a href='{host}/1'>The night of the bridge that nobody forgot</a></li>"
    items += f"<li><a href='{host}/2'>Piers</a></li>"
    html = f"<p>{TEXT}</p><p>{TEXT} Twice.</p>{heading}<ul>{items}</ul><h2>Quays</h2><p>{TEXT} Yes"
    assert len(choice(html, [""])) == (4 if goes else 7)
    bare = f"<p>{TEXT}</p><h2>More harbour guides</h2><h3>Piers</h3><p>{TEXT} Twice.</p>"
    assert len(choice(bare, [""])) == 4


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
        ("Did you cook this soup? Leave a star rating, and tag me in your pictures.", True),
        ("Folgt mir auf Instagram: @harbour", True),
        ("Подписывайтесь на подкаст!", True),
        ("Join in by visiting our LinkedIn page.", True),
        ("Join the Facebook group – https://www.facebook.com/harbour", True),
        ("Rejoignez notre groupe sur Facebook !", True),
        ("The May issue is out on newsstands, and you can pre-order it here!", True),
        ("Die Mai-Ausgabe ist im Handel erhältlich.", True),
        ("The boat is on sale now.", False),
        ("They were visiting our harbour.", False),
        ("Join my free Facebook community!", True),
        ("Two pilots will join the Facebook board.", False),
        ("In May she will join our podcast on YouTube as its host.", False),
        ("Next year two more pilots join our harbour’s Instagram team.", False),
        ("Follow me, said the pilot.", False),
        ("The quay is on Instagram.", False),
    ],
)
def test_requests_to_follow_go_from_the_end(line, goes):
    html = f"<p>{TEXT}</p><p>{TEXT} Again.</p><p>{line}</p><p>Thanks to the pilot.</p>"
    assert (len(choice(html, [""])) == 3) is goes
    above = f"<p>{line}</p>" + f"<p>{TEXT}</p>" * 4
    assert len(choice(above, [""])) == 5


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        ("For more of this, sign up to our newsletter.", True),
        ("Войдите, чтобы оставить комментарий (сейчас комментариев: 0)", True),
        ("An dieser Stelle finden Sie externen Inhalt, der den Artikel ergänzt.", True),
        ("有料会員になると会員限定の有料記事もお読みいただけます。", True),
        ("Подписывайтесь на наш канал!", True),
        ("The post Tides and Winds appeared first on Harbour Blog.", True),
        ("Faites glisser pour voir tout le tableau des marées.", True),
        ("Was this newsletter forwarded to you? Sign up to get it.", True),
        ("¿Sabías que tenemos canal de Telegram? Únete a los marineros.", True),
        ("Last update on 2 May / Images from Amazon Product Advertising API", True),
        ("The letter was forwarded to you by the harbour master.", False),
        ("The newsletter of the harbour appears on Mondays.", False),
        (f"Sign up for our newsletter. {TEXT} {TEXT} {TEXT}", False),
    ],
)
def test_notices_go_from_articles(text, goes):
    html = f"<p>{TEXT}</p><p>{text}</p><p>{TEXT} Again.</p>"
    assert (len(choice(html, [""])) == 2) is goes
    assert (len(choice(html, [""], kind="listing")) == 2) is goes
    assert len(choice(html, [""], kind="forum")) == 3


@pytest.mark.parametrize(
    ("href", "goes"),
    [
        ("https://mail.example.net/newsletters/harbour", True),
        ("/de/newsletter?from=quay", True),
        ("/unterstuetzen/", True),
        ("https://elsewhere.test/donate", False),
        ("/newsletter-of-the-port", False),
        ("https://newsletter.example.net/p/tides", False),
        ("/boats", False),
    ],
)
def test_lines_that_lead_to_newsletters_or_to_the_supporters_of_the_site_go(href, goes):
    html = f"<p>{TEXT}</p><p>All winds and tides <a href='{href}'>are here</a> each morning</p>"
    html += f"<p>{TEXT} Again.</p>"
    assert (len(choice(html, [""])) == 2) is goes
    assert len(choice(html, [""], kind="forum")) == 3


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Also read <a href=/oars>how to mend the old oars</a>.", True),
        ("Read our full <a href=/oars>review of the old oars</a>.", True),
        ("The boat <a href=/oars>that has no oars at all</a>.", False),
    ],
)
def test_a_pointer_to_another_page_may_end_with_punctuation(line, goes):
    html = f"<p>{TEXT}</p><p>{line}</p><p>{TEXT} Again.</p>"
    assert (len(choice(html, [""])) == 2) is goes


def test_a_line_beside_or_longer_than_an_appeal_stays():
    letter = "<a href='/newsletter'>Our letter</a>"
    html = f"<div>{TEXT}<br>The tides are in the book.<br>{letter}</div><p>{TEXT} Again.</p>"
    assert choice(html, [""]) == [TEXT, "The tides are in the book.", f"{TEXT} Again."]
    source = f"<p>{'The Tide wrote this text. ' * 9}{letter}</p>"
    assert len(choice(f"<p>{TEXT}</p>{source}<p>{TEXT} Again.</p>", [""])) == 3


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
        ("<p>By Ivo Halloran</p>", True),
        ("<p>Last updated at 10:55 AM on 12th January 2012</p>", True),
        ("<p>12.01.2012 | 13:02</p>", True),
        ("<div>Volume 2012<br>Day 12.01.2012</div>", True),
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


def test_a_field_without_a_year_beside_a_date_stays():
    head = "<title>Ferries</title><meta name='date' content='2012-01-12'>"
    fields = "<div>Book: The Quay<br>Appeared: 12.01.2012</div>"
    assert choice(f"{fields}<p>{TEXT}</p>", [""], head=head) == ["Book: The Quay", TEXT]


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


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("On Behalf of the Harbour Office | May 3, 2024 | Ferries", True),
        ("3 May 2024 | Ferries", True),
        ("The harbour | Its ferries | Its boats", False),
    ],
)
def test_a_line_above_the_text_with_a_date_between_bars_goes(line, goes):
    head = "<meta property='article:published_time' content='2024-05-03'>"
    html = f"<h1>Tides</h1><p>{line}</p><p>{TEXT}</p><p>{TEXT} Again.</p>"
    assert (line not in choice(html, [""], head=head)) is goes


@pytest.mark.parametrize(
    ("lines", "goes"),
    [
        ("<p>About the author:</p><p>Ivo Halloran has sailed since he was six.</p>", True),
        ("<p>About the author: he has sailed since he was six.</p>", True),
        ("<p>About the ferry: it has sailed since he was six.</p>", False),
    ],
)
def test_what_is_about_the_author_at_the_end_goes(lines, goes):
    html = "".join(f"<p>{TEXT} {n}.</p>" for n in range(9))
    assert (len(choice(html + lines, [""])) == 9) is goes


@pytest.mark.parametrize(
    ("name", "goes"), [("Ivo Halloran", True), ("The boat he sails", False), ("", False)]
)
def test_several_paragraphs_about_the_author_go_with_the_name_above_them(name, goes):
    head = "<meta name=author content='Ivo Halloran'>"
    note = "<p>Ivo Halloran is the owner of the ferry.</p><p>He studied the tides for years.</p>"
    html = "".join(f"<p>{TEXT} {n}.</p>" for n in range(9)) + f"<div>{name}</div>{note}"
    assert (
        len(choice(html, ["Again", TEXT, "Ivo Halloran is", "He studied"], head=head)) == 9
    ) is goes


def test_an_address_with_the_authors_name_is_no_byline():
    line = "Code: https://example.org/ivo/tides"
    meta = "<meta name=author content=Ivo>"
    assert line in choice(f"<h1>Tides</h1><p>{line}</p><p>{TEXT}</p>", [""], head=meta)


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("<p><a href='/agency'>Harbour News Agency</a></p>", True),
        ("<p><a href='https://agency.test/'>Harbour News Agency</a></p>", False),
        ("<p><a href='https://agency.test/boats'>Where the boats rest</a></p>", True),
        ("<p>Source: Harbour News Agency</p>", False),
        ("<p>Redaktion: Ann Reed, Ivo Halloran</p>", False),
        ("<p>Das Gespräch führte Ann Reed.</p>", False),
        ("<p>（責任編輯：年巍）</p>", True),
        ("<p>All rights reserved by the harbour.</p><p>Write to us before you copy it.</p>", True),
        ("<p>... on to \"<a href='/ropes'>Ropes</a>\"</p>", True),
        ("<p>... and <a href='/ropes'>ropes</a> were all they had</p>", False),
        ("<p><a href='/comments/7'>18 comments</a> posted by the harbour 5/27/2004</p>", True),
        ("<p><a href='/boats'>18 boats</a> were counted by the harbour</p>", False),
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


@pytest.mark.parametrize(
    "line",
    ["orla@example.org", "Twitter: @orla", "Спасибо! Ваше мнение учтено.", "Rate this article"],
)
def test_the_site_s_own_last_line_goes(line):
    assert choice(f"<p>{TEXT}</p>" * 3 + f"<p>{line}</p>", [TEXT, line]) == [TEXT] * 3


def test_a_line_above_the_text_that_is_named_a_byline_goes():
    html = f"<h1>Ferries</h1><p class=hn-byline>(AFP) – 2 days ago</p><p>{TEXT}</p>"
    assert choice(html, ["AFP", TEXT]) == [TEXT]


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


def test_a_newswire_after_the_text_goes():
    wire = "".join(
        f"<dt>10:{n}0 <a href='/{n}'>The harbour of Wick is closed</a></dt><dd>Nobody knows why.</dd>"
        for n in range(5)
    )
    html = f"<p>{TEXT}</p>" * 6 + f"<dl>{wire}</dl>"
    assert choice(html, [TEXT, "harbour", "Nobody"]) == [TEXT] * 6
    terms = wire.replace("<a", "<b").replace("</a", "</b")
    assert len(choice(html.replace(wire, terms), [TEXT, "harbour", "Nobody"])) == 16


def test_a_heading_with_the_sign_of_the_author_goes():
    sign = "<h5 class=block-authorshort>af Kester</h5>"
    html = f"<h1>Ferries</h1><p>{TEXT}</p>{sign}<p>{TEXT} Again.</p>"
    assert "af Kester" not in choice(html, [TEXT, "af Kester"])


@pytest.mark.parametrize("kind", ["article", "product"])
def test_the_path_of_sections_to_the_title_goes(kind):
    path = "<p>Training &gt; Boats and nets &gt; Ferries at dawn</p>"
    html = f"{path}<h1>Ferries at dawn</h1><p>{TEXT}</p>"
    head = "<title>Ferries at dawn</title>"
    assert choice(html, ["Training", TEXT], head=head, kind=kind) == [TEXT]


def test_an_arrow_that_begins_items_of_lists_points_to_no_other_story():
    items = "".join(f"<li>→ Form {n} of the harbour" for n in range(3))
    line = "→ <b>Warning:</b> Read the <a href=/rules>rules of the harbour</a> first."
    assert len(choice(f"<p>{TEXT}</p><p>{line}</p><ul>{items}</ul>", [""])) == 5
    assert len(choice(f"<p>{TEXT}</p><p>{line}</p>", [""])) == 1


def test_the_linked_names_of_products_stay_above_their_text():
    tile = (
        "<div><div class=name><a href=/{0}>The long oar of ash, {0}</a></div><p>{1} {0}.</p></div>"
    )
    names = ("blue", "red", "grey")
    html = f"<p>{TEXT}</p>" + "".join(tile.format(name, TEXT) for name in names)
    assert len(choice(html, [""])) == 7
    teasers = f"<p>{TEXT}</p>" + "".join(
        f"<p><a href=/{name}>The long oar of ash, {name}</a></p><p>{TEXT} {name}.</p>"
        for name in names
    )
    assert len(choice(teasers, [""])) == 4


def test_a_line_about_rights_that_the_text_announces_stays():
    line = "<p>© 2011, Kester Harbour</p>"
    assert len(choice(f"<p>{TEXT}</p><p>{TEXT} Use this line:</p>{line}", [""])) == 3
    assert len(choice(f"<p>{TEXT}</p><p>{TEXT} Use this.</p>{line}", [""])) == 2


def test_the_box_of_a_story_that_somebody_else_signs_goes():
    box = f"<div><h3>The mayor on nets</h3><div><p>By {{}} for Tides</p><p>{TEXT}</p></div></div>"
    html = f"<p>{TEXT}</p>{{}}" + f"<p>{TEXT} Again.</p>" * 6
    head = "<meta name=author content='Ivo Halloran'>"
    boxes = [box.format(name) for name in ("Tam Reed", "Orla Fennimoor", "Ivo Halloran")]
    assert len(choice(html.format(boxes[0]), [""], head=head)) == 7
    assert len(choice(html.format(boxes[0] + boxes[1]), [""], head=head)) == 13
    assert len(choice(html.format(boxes[2]), [""], head=head)) == 10


def test_the_first_entry_of_a_list_is_no_byline():
    head = '<meta name="author" content="Ivo Halloran">'
    line = f"<p class=t><a href=/{{0}}>Boat {{0}}</a>, {{0}} May 2024</p><p>{TEXT} {{0}}.</p>"
    entries = "".join(map(line.format, (3, 2, 1)))
    html = f"<h1>Ferries</h1>{entries}".replace("Boat 3", "Ivo Halloran")
    assert len(choice(html, ["Ivo", "Boat", TEXT], head=head)) == 6
    assert len(choice(html.replace("class=t", ""), ["Ivo", "Boat", TEXT], head=head)) < 6
    unlinked = re.sub("</?a[^>]*>", "", html)
    assert len(choice(unlinked, ["Ivo", "Boat", TEXT], head=head)) == 6


def test_links_below_the_text_of_several_entries_stay():
    link = "<p><a href=/{0}>Explore ways to sail to {0}</a></p>"
    part = f"<div><h3>{{0}}</h3><p>{TEXT} {{0}}.</p>{link}</div>"
    html = "".join(map(part.format, ("Wick", "Nairn", "Oban")))
    assert "Explore ways to sail to Nairn" in choice(html, [""])
    html = part.format("Wick") + f"<p>{TEXT} Again.</p>"
    assert "Explore ways to sail to Wick" not in choice(html, [""])


@pytest.mark.parametrize(
    ("line", "link", "goes"),
    [
        ("Jump to the section that you came here for:", "#{}", True),
        ("Jump to the section that you came here for:", "https://b.test/{}", False),
        ("Jump to the section that you came here for", "#{}", False),
    ],
)
def test_the_line_above_a_table_of_contents_goes_with_it(line, link, goes):
    entries = "".join(f"<li><a href='{link.format(n)}'>The tide {n}</a></li>" for n in range(3))
    parts = "".join(f"<h2 id={n}>The tide {n}</h2><p>{TEXT} {n}</p>" for n in range(3))
    texts = choice(f"<p>{TEXT}</p><p>{line}</p><ul>{entries}</ul>{parts}", [""])
    assert (line not in texts) is goes


@pytest.mark.parametrize(
    ("below", "goes"),
    [
        ("<ul><li><a href='https://b.test/'>The log</a></li></ul>", True),
        ("<div><a class=btn href='https://b.test/'>Log on</a></div>", True),
        ("<ul><li>The log of <a href='https://b.test/'>the ferry</a></li></ul>", False),
    ],
)
def test_a_line_that_announces_links_left_out_goes(below, goes):
    line = "Here is all that we know about it:"
    texts = choice(f"<p>{TEXT}</p><p>{line}</p>{below}<p>{TEXT} Two.</p>", [TEXT, line])
    assert (line not in texts) is goes


@pytest.mark.parametrize(("words", "goes"), [("", True), (" is the story of a long night", False)])
def test_stories_that_are_not_linked_to_the_last_letter_go_with_their_label(words, goes):
    story = f"<li><a href='/night'>The night the bridge was closed</a> (2){words}</li>"
    other = "<li><a href='/day'>The day the bridge was opened</a></li>"
    html = f"<p>{TEXT}</p><p>Also read:</p><ul>{story}{other}</ul><h2>Quays</h2><p>{TEXT} Two</p>"
    assert (len(choice(html, [""])) == 3) is goes


@pytest.mark.parametrize(("heading", "goes"), [("Up next", True), ("Up to the bridge", False)])
def test_the_heading_of_stories_goes_though_a_line_is_below_them(heading, goes):
    stories = "<p>Boats</p><p>Piers of old</p>"
    html = f"<p>{TEXT}</p><h2>{heading}</h2>{stories}<p>Thanks for visiting us!</p>"
    assert (heading not in choice(html, [TEXT, "Up", "Thanks"])) is goes


@pytest.mark.parametrize(
    ("fields", "goes"),
    [(("Built at", "Rigged at"), True), (("Built at", "Built at"), False)],
)
def test_a_labeled_link_stays_if_others_have_its_label(fields, goes):
    linked = f"<p>{fields[0]}: <a href='/yard'>the old yard at Wick</a></p>"
    plain = f"<p>{fields[1]}: Wick</p><p>{fields[1]}: Thurso</p>"
    texts = choice(f"<p>{TEXT}</p>{linked}{plain}<p>{TEXT} Two.</p>", [""])
    assert (f"{fields[0]}: the old yard at Wick" not in texts) is goes


@pytest.mark.parametrize(
    ("label", "last", "goes"),
    [
        ("MORE FERRIES", "<a href='/3'>A ferry sails</a>", True),
        ("MORE FERRIES", "A ferry sails", False),
        ("These are ferries.", "<a href='/3'>A ferry sails</a>", False),
        ("MORE FERRIES", "<a href='https://b.test/'>A ferry sails</a>", False),
    ],
)
def test_a_list_of_stories_below_its_label_goes(label, last, goes):
    stories = "<li><a href='/1'>A ferry sinks</a></li><li><a href='/2'>A ferry floats</a></li>"
    html = f"<p>{TEXT}</p><ul><li>{label}</li>{stories}<li>{last}</li></ul><p>{TEXT} Two.</p>"
    assert (label not in choice(html, [""])) is goes


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("All about boats of ash is <a href='/ash'>here</a>.", True),
        ("Alles über Boote findest du <a href='/ash'>hier</a>.", True),
        ("The boats of ash are from <a href='/wick'>Wick</a>.", False),
        ("The boats of ash are <a href='https://b.test/'>here</a>.", False),
        ("The boats of ash <a href='/ash'>here</a> are old.", False),
    ],
)
def test_a_last_line_that_points_to_another_page_goes(line, goes):
    texts = choice(f"<p>{TEXT}</p><p>{TEXT} Two.</p><p>{line}</p>", [""])
    assert (len(texts) == 2) is goes


@pytest.mark.parametrize(("line", "goes"), [("<hr>", True), ("", False)])
def test_the_heading_of_an_appeal_goes_with_it_if_a_line_is_below(line, goes):
    appeal = "<h2>On harbours</h2><p>Please consider supporting our work at the quay.</p>"
    texts = choice(f"<p>{TEXT}</p>{appeal}{line}<p>{TEXT} Two.</p>", [""])
    assert ("On harbours" not in texts) is goes
    assert len(texts) == (2 if goes else 3)


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("Learn more about <a href=/b>how ferries of the north are built</a>", 2),
        ("Learn more about <a href=/b>ferries of Wick</a>.", 2),
        ("See also <a href=/b>Northern ferries</a>", 3),
        ("Learn more about <a href=/b>Northern ferries: how they are built</a>.", 2),
        ("Builder: <a href=/b>northern ferries</a>", 3),
        ("We asked at the harbour <a href=/b>how ferries of the north are built</a>", 3),
    ],
)
def test_a_pointer_to_another_story_goes(line: str, lines: int) -> None:
    texts = choice(f"<p>{TEXT}</p><p>{line}</p><p>{TEXT}</p>", [TEXT, "ferries"])
    assert len(texts) == lines


def test_the_initials_of_a_reporter_below_the_text_go() -> None:
    html = f"<p>{TEXT}</p>" * 3
    assert choice(f"{html}<p>abc/de</p>", [TEXT, "abc"])[-1] == TEXT
    assert choice(f"{html}<p>Yes.</p>", [TEXT, "Yes"])[-1] == "Yes."


@pytest.mark.parametrize("line", ["Tags: Boats, Sea & Sky, Ann Reed", "标签：港口 渡轮"])
def test_the_subjects_of_an_article_at_its_end_go(line: str) -> None:
    assert choice(f"<p>{TEXT}</p><p>{line}</p>", [TEXT, line]) == [TEXT]
    assert choice(f"<p>{line}</p><p>{TEXT}</p>", [TEXT, line]) == [line, TEXT]
