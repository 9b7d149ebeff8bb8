"""Printed discussions: author, date and quotations of each post, and nothing of the site."""

from __future__ import annotations

from dataclasses import replace

from printer import extract
from printer.article import (
    Article,
    Code,
    Embed,
    Figure,
    Heading,
    List,
    Paragraph,
    Post,
    Quote,
    Rule,
    Span,
    plain_text,
    walk,
)
from printer.compose import find_posts
from printer.html.page import read_page
from printer.selection import Verdict
from tests.support.story_page import SENTENCE, story_page

URL = "https://example.org/t/1"

POST = """<div itemprop=comment itemscope itemtype="https://schema.org/Comment" class=post>
  <div class=head><span itemprop=author itemscope><b itemprop=name>{0}</b></span>,
    <time itemprop=datePublished datetime={1}>{1}</time> <a href=#{2}>#{2}</a></div>
  <div itemprop=text>{3}</div><div class=tools>Like · Report</div></div><hr>"""


def thread(*remarks: tuple[str, str]) -> Article:
    posts = "".join(
        POST.format(name, f"2024-05-0{n}", n, text) for n, (name, text) in enumerate(remarks, 1)
    )
    head = "<title>On rain</title><meta name=author content=Rosa>"
    opening = (
        "<body itemscope itemtype='https://schema.org/DiscussionForumPosting'><h1>On rain</h1>"
    )
    return extract(f"<html><head>{head}</head>{opening}{posts}</body></html>", URL)


def thought(name: str) -> str:
    return f"<p>{name} thinks so. {SENTENCE}</p><p>{SENTENCE}</p>"


def posts(article: Article) -> list[Post]:
    assert all(isinstance(block, Post) for block in article.blocks)
    return [block for block in article.blocks if isinstance(block, Post)]


def test_the_byline_is_the_first_author_and_not_that_of_a_reply() -> None:
    article = thread(("tam_reed", thought("Tam")), ("Rosa", thought("Rosa")))
    assert article.byline == "tam_reed"
    assert [post.author for post in posts(article)] == ["", "Rosa"]


def test_a_discussion_of_a_link_names_it_and_its_submitter() -> None:
    names = "tam_reed", "Rosa", "Vera", "Tomas"
    post = POST.replace("class=post", "class=comment")
    remarks = "".join(
        post.format(name, f"2024-05-0{n}", n, thought(name)) for n, name in enumerate(names, 1)
    )
    head = "<title>On rain gauges</title><meta name=author content=Rosa>"
    link = "<h1><a href=https://rain.example.com/gauges>On rain gauges</a></h1>"
    opening = "<body itemscope itemtype='https://schema.org/DiscussionForumPosting'>"
    article = extract(f"<html><head>{head}</head>{opening}{link}{remarks}</body></html>", URL)
    assert article.byline == "Rosa"
    assert article.text.startswith("rain.example.com/gauges\n")
    assert [post.author for post in posts(replace(article, blocks=article.blocks[1:]))] == [*names]


def test_each_post_is_signed_but_the_first_that_the_title_names() -> None:
    found = posts(thread(*((name, thought(name)) for name in ("Rosa", "Tomas", "Vera", "Ida"))))
    assert [post.signature for post in found] == [
        "", "Tomas, 2024-05-02", "Vera, 2024-05-03", "Ida, 2024-05-04",
    ]  # fmt: skip
    assert [len(post.blocks) for post in found] == [2] * 4
    assert not any(
        "#" in plain_text(b.spans) for b in walk(tuple(found)) if isinstance(b, Paragraph)
    )


def test_a_heading_with_nothing_below_it_in_a_post_is_the_title_of_a_link() -> None:
    card = "<blockquote><h3><a href=/rain>How rain is measured</a></h3></blockquote>"
    remarks = [
        ("Rosa", f"<h3>Gauges</h3>{thought('Rosa')}"),
        ("Ida", thought("Ida") + card),
        ("Vera", thought("Vera")),
    ]
    found = posts(thread(*remarks))
    assert isinstance(found[0].blocks[0], Heading)
    last = found[1].blocks[-1]
    assert isinstance(last, Paragraph)
    assert plain_text(last.spans) == "How rain is measured"


def test_a_post_has_no_rules_above_its_headings_and_its_typed_bullets_make_a_list() -> None:
    rules = (
        f"<hr>{thought('Rosa')}<hr><h3>Gauges</h3><p>• glass</p><p>• brass</p><hr><p>Thanks.</p>"
    )
    first = posts(thread(("Rosa", rules), ("Ida", thought("Ida")), ("Vera", thought("Vera"))))[0]
    kinds = [type(block) for block in first.blocks]
    assert kinds == [Paragraph, Paragraph, Heading, List, Rule, Paragraph]


def test_the_words_and_signs_around_the_date_of_a_post_are_not_printed() -> None:
    time = "<time itemprop=datePublished datetime={1}>{1}</time>"
    written = "<span itemprop=datePublished>on Tuesday May {2}, 2024 @11:51AM (</span>"
    assert time in POST
    remarks = "".join(
        POST.replace(time, written).format(name, "", n, thought(name))
        for n, name in enumerate(("Rosa", "Tomas", "Vera"), 1)
    )
    found = posts(extract(f"<title>On rain</title><body><h1>On rain</h1>{remarks}</body>", URL))
    assert [post.published for post in found[1:]] == [
        f"Tuesday May {n}, 2024 @11:51AM" for n in (2, 3)
    ]


def test_a_spoiler_in_a_sentence_is_printed_though_it_is_a_button() -> None:
    hidden = "<p>In the end <span role=button class=spoiler-instant>it rains in May</span>.</p>"
    share = "<p><span role=button>Share it</span></p>"
    remarks = [(name, thought(name) + hidden + share) for name in ("Rosa", "Ida", "Vera")]
    last = posts(thread(*remarks))[1].blocks[-1]
    assert isinstance(last, Paragraph)
    assert plain_text(last.spans) == "In the end it rains in May."


def test_a_short_reply_is_kept_like_the_others() -> None:
    remarks = [("Rosa", thought("Rosa")), ("Ida", "<p>Yes.</p>"), ("Vera", thought("Vera"))]
    assert posts(thread(*remarks))[1].blocks == (Paragraph(plain("Yes.")),)


def plain(text: str) -> tuple[Span, ...]:
    return (Span(text),)


LONG = (
    "The gauge on the roof shows nine millimeters since this morning, which is more than "
    "in the whole of last month, and the gutter has begun to drip on the neighbour’s bench."
)


def test_quotations_are_attributed_and_whole() -> None:
    short = "<blockquote><div>Rosa wrote: ↑</div><div>Nine?</div></blockquote>"
    long = f"<div class=bbcode-quote><div>Rosa wrote:</div><div>{LONG}</div></div>"
    other = f"<blockquote>{LONG.replace('roof', 'shed')}</blockquote>"
    found = posts(
        thread(
            ("Rosa", f"<p>{LONG}</p>{thought('Rosa')}"),
            ("Ida", short + thought("Ida")),
            ("Vera", long + thought("Vera")),
            ("Anna", other + thought("Anna")),
        )
    )
    quotes = [post.blocks[0] for post in found[1:]]
    assert all(isinstance(quote, Quote) for quote in quotes)
    texts = [
        (plain_text(quote.cite), plain_text(quote.blocks[0].spans))
        for quote in quotes
        if isinstance(quote, Quote) and isinstance(quote.blocks[0], Paragraph)
    ]
    assert texts[0] == ("Rosa wrote:", "Nine?")
    assert texts[1] == ("Rosa wrote:", LONG)
    assert texts[2] == ("", LONG.replace("roof", "shed"))


def test_a_quotation_may_be_named_for_tests_only() -> None:
    quoted = f"<div class=x66 data-testid=quote-container><svg></svg><div>{LONG}</div></div>"
    remarks = (("Rosa", f"<p>{LONG}</p>{thought('Rosa')}"), ("Vera", quoted + thought("Vera")))
    assert isinstance(posts(thread(*remarks))[1].blocks[0], Quote)


def test_a_quotation_with_a_smiley_at_its_end_is_not_the_caption_of_the_smiley() -> None:
    smiley = "<img src=//smileys.example.org/846.png>"
    attributed = (
        f"<div class=title><a href=#p1>Rosa said:</a></div><div class=content>{LONG} {smiley}</div>"
    )
    quotation = (
        f"<blockquote>{attributed}<div><a role=button>Click to expand</a></div>"
        "<div class=quote-shrinkLink><a>Click to shrink</a></div></blockquote>"
    )
    found = posts(
        thread(
            ("Rosa", f"<p>{LONG}</p>{thought('Rosa')}"),
            ("Ida", quotation + thought("Ida")),
            ("Vera", thought("Vera")),
        )
    )
    quote = found[1].blocks[0]
    assert isinstance(quote, Quote)
    assert plain_text(quote.cite) == "Rosa said:"
    assert [plain_text(block.spans) for block in quote.blocks if isinstance(block, Paragraph)] == [
        LONG
    ]


def test_a_quotation_that_a_mail_program_appends_is_dropped() -> None:
    appended = f"<p>On 1 May Rosa wrote:</p><blockquote><p>{LONG}</p></blockquote>"
    found = posts(thread(("Rosa", f"<p>{LONG}</p>"), ("Ida", f"<p>{SENTENCE * 2}</p>{appended}")))
    assert found[1].blocks == (Paragraph(plain((SENTENCE * 2).strip())),)


def test_code_and_pictures_of_posts_are_kept_without_code_headers() -> None:
    code = "<div class=codebox><p>Code: <a href=#>Select all</a></p><pre><code>rain()</code></pre></div>"
    picture = "<img src=/rain.jpg width=800 height=600 alt='The rain gauge on the roof'>"
    remarks = [
        ("Rosa", thought("Rosa") + code + thought("Rosa")),
        ("Ida", thought("Ida") + picture),
    ]
    found = posts(thread(*remarks))
    assert [type(block) for block in found[0].blocks].count(Code) == 1
    assert "Select" not in "".join(str(block) for block in found[0].blocks)
    assert any(isinstance(block, Figure) for block in found[1].blocks)


def test_an_article_with_comments_below_it_is_not_a_discussion() -> None:
    comments = "".join(POST.format(name, "2024-05-01", 1, "Yes.") for name in ("Rosa", "Vera"))
    article = extract(story_page(extra=comments), URL)
    assert not any(isinstance(block, Post) for block in article.blocks)


def test_the_id_of_an_article_makes_no_posts_of_the_stories_beside_it() -> None:
    html = "<div class=post {2}><b class=author>{0}</b> <time>{1}</time><p>{3}</p></div>"
    for ids, count in (("", ""), 0), (("id=p1", "id=p2"), 2):
        days = ("3 May 2024", "4 May 2024")
        rows = zip(("Rosa", "Vera"), days, ids, strict=True)
        stories = "".join(html.format(*row, SENTENCE) for row in rows)
        page = read_page(f"<article id=post-12><p>{SENTENCE}</p>{stories}</article>", URL)
        assert len(find_posts(page, Verdict((True,) * len(page.segments)))) == count


def test_posts_and_labels_of_advertisements_are_not_printed() -> None:
    remarks = [("Rosa", thought("Rosa")), ("Advertisement", "<p>Hi Rosa, buy a boat.</p>")]
    remarks.append(("Ida", f"<p>Advertisement (gone after registration)</p>{thought('Ida')}"))
    found = posts(thread(*remarks, ("Vera", thought("Vera"))))
    assert [post.author for post in found] == ["", "Ida", "Vera"]
    assert [len(post.blocks) for post in found] == [2, 2, 2]


def test_the_edit_time_of_a_post_is_not_printed() -> None:
    edited = thought("Ida") + "<p><b>Last edited by Ida on 4 May 2024</b></p>"
    found = posts(thread(("Rosa", thought("Rosa")), ("Ida", edited), ("Vera", thought("Vera"))))
    assert [len(post.blocks) for post in found] == [2, 2, 2]


def test_the_label_of_an_attached_file_is_no_text_of_a_post() -> None:
    links = "".join(
        f"<a href=/attachments/{n}/>View attachment {n}</a>" for n in (2029140, 2029141)
    )
    quote = f"<blockquote>{SENTENCE}<br>{links}</blockquote>"
    remarks = [(name, thought(name)) for name in ("Rosa", "Tomas", "Vera", "Ida")]
    article = thread(*remarks, ("Bo", f"{quote}<p>See <a href=/bus/12>bus 12</a>. {SENTENCE}</p>"))
    assert "View attachment" not in article.text
    assert "See bus 12" in article.text


def test_the_time_and_reason_of_an_edit_in_a_post_are_not_printed() -> None:
    note = (
        "<span><strong>Edited <time>May 5, 2024</time> by Ida</strong><br>a slip of the pen</span>"
    )
    remarks = [("Rosa", thought("Rosa")), ("Ida", f"<div>{thought('Ida')}{note}</div>")]
    article = thread(*remarks, ("Vera", thought("Vera")))
    assert "slip" not in article.text
    assert [len(post.blocks) for post in posts(article)] == [2, 2, 2]


def test_what_is_quoted_in_an_element_of_its_own_is_one_quotation() -> None:
    quotation = f"<aside class=quote><div class=title>Rosa:</div><blockquote><p>{LONG}</p></blockquote></aside>"
    found = posts(thread(("Rosa", thought("Rosa")), ("Ida", quotation + thought("Ida"))))
    quote = found[1].blocks[0]
    assert isinstance(quote, Quote)
    assert plain_text(quote.cite) == "Rosa:"
    assert quote.blocks == (Paragraph(plain(LONG)),)


def test_the_preview_of_a_linked_page_is_an_embed_without_its_picture() -> None:
    card = (
        "<aside class=onebox><img src=/b.jpg width=690 height=388><h3><a href=https://b.test/>"
        "The harbour news</a></h3><p>All of it.</p></aside>"
    )
    remarks = [("Rosa", thought("Rosa")), ("Ida", f"{thought('Ida')}{card}{thought('Ida')}")]
    blocks = posts(thread(*remarks, ("Vera", thought("Vera"))))[1].blocks
    assert [type(block) for block in blocks] == [Paragraph] * 2 + [Embed] + [Paragraph] * 2
    assert blocks[2] == Embed("frame", "https://b.test/", "The harbour news")
    unlinked = card.replace("https://b.test/", "javascript:more()")
    blocks = posts(thread(remarks[0], ("Ida", unlinked + thought("Ida")), remarks[0]))[1].blocks
    assert blocks[0] == Paragraph(plain("The harbour news"))
    quoted = ("Ida", f"<blockquote>{LONG}{card}</blockquote>{thought('Ida')}")
    (quote, *_) = posts(thread(remarks[0], quoted, ("Vera", thought("Vera"))))[1].blocks
    assert isinstance(quote, Quote)
    assert [type(block) for block in quote.blocks] == [Paragraph, Embed]


def test_a_link_that_a_forum_titles_in_a_sentence_is_printed() -> None:
    link = "<p><a class=inline-onebox href=https://b.test/>The harbour news</a> - All of it.</p>"
    remarks = [("Rosa", thought("Rosa")), ("Ida", thought("Ida") + link)]
    blocks = posts(thread(*remarks, ("Vera", thought("Vera"))))[1].blocks
    assert plain_text(getattr(blocks[-1], "spans", ())) == "The harbour news - All of it."


def test_the_button_that_unfolds_a_quotation_is_not_printed() -> None:
    quotation = f"<blockquote>{LONG}<div class=quoteExpand>Click to unfold</div></blockquote>"
    remarks = [("Rosa", thought("Rosa")), ("Ida", quotation + thought("Ida"))]
    assert "unfold" not in thread(*remarks, ("Vera", thought("Vera"))).text
