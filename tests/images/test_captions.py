"""Captions by markup, names and place, and the papers' ways of finding them."""

from __future__ import annotations

import time

import pytest

from printer.article import Span
from printer.html.page import Page, read_page
from printer.images.candidates import find_candidates
from printer.images.captions import Caption, CaptionFinder
from printer.selection import Verdict

PARAGRAPH = "A paragraph of the article that says what happened on the river that day. " * 4


def read(html: str, article: str = PARAGRAPH) -> tuple[Page, Verdict]:
    page = read_page(f"<body><p>{article}</p>{html}<p>{article}</p></body>", "https://example.org/")
    keep = tuple(segment.text == " ".join(article.split()) for segment in page.segments)
    return page, Verdict(keep)


def caption(html: str) -> Caption:
    page, _ = read(html)
    candidates = find_candidates(page)
    return CaptionFinder(page, candidates).find(candidates[0])


URL = "https://example.org/"
IMG = '<img src="/p.jpg" alt="Not the caption">'


def test_the_heading_of_a_figure_begins_its_caption() -> None:
    found = caption(
        f"<figure><h3>Figure 1. The boat.</h3><p>{IMG}</p><p><a href='/f1'>Open in a new tab</a></p>"
        "<figcaption><p>By night.</p></figcaption></figure>"
    )
    assert found.text == "Figure 1. The boat. By night."


@pytest.mark.parametrize(
    "html",
    [
        f"<figure>{IMG}<figcaption>The boat.</figcaption></figure>",
        f"<figure><div><a href='/p.jpg'>{IMG}</a></div><div><figcaption><p>The boat.</p>"
        "</figcaption></div></figure>",
        f"<figure><figcaption>The boat.</figcaption>{IMG}</figure>",
        f"<figure><figure>{IMG}<figcaption>The boat.</figcaption></figure>"
        "<figcaption>All.</figcaption></figure>",
        f'<div class="wp-caption">{IMG}<p class="wp-caption-text">The boat.</p></div>',
        f'<div><div>{IMG}</div><div class="image-caption"><span>The boat.</span></div></div>',
        f'<div>{IMG}<p class="cap">The boat.</p></div>',
        f'<div>{IMG}<div itemprop="caption">The boat.</div></div>',
        f"<table><tr><td>{IMG}</td></tr><tr><td>The boat.</td></tr></table>",
        f"<center>{IMG}<br><font size=2><i>The boat.</i></font></center>",
        f"<p>{IMG}</p><p><em>The boat.</em></p>",
        f"<p>{IMG}<br>The boat.</p>",
        f"<p align=center>{IMG}</p><p align=center>The boat.</p>",
        f"<p align=center>{IMG}</p><p align=center>The boat.<p align=center><img src=/q.jpg></p>"
        "<p align=center>The oar.</p>",
    ],
)
def test_the_caption_is_found(html: str) -> None:
    found = caption(html)
    assert found.text == "The boat."
    assert len(found.segments) == 1


def test_a_named_credit_has_the_caption_above_it() -> None:
    box = "<section><span>Picture</span><p class=text>The boat.</p>{}</section>"
    named = box.format("<div class=copyright>Photo: Ann Marl</div>")
    assert caption(f"<div><figure>{IMG}</figure>{named}</div>").text.startswith("The boat.")
    separated = named.replace("<div class", "<hr><div class")
    assert "boat" not in caption(f"<div><figure>{IMG}</figure>{separated}</div>").text


def test_the_byline_above_a_picture_is_no_caption() -> None:
    head = "<meta name=author content='Ann Marl'>"
    line = "<div class=attribution>Ann Marl | Published at noon</div>"
    page = read_page(f"<head>{head}</head><body>{line}{IMG}<p>{PARAGRAPH}</p></body>")
    candidates = find_candidates(page)
    assert CaptionFinder(page, candidates).find(candidates[0]).text == ""


@pytest.mark.parametrize(
    "html",
    [
        f"<ul><li>{IMG}Learning what you prefer.</li><li>Telling you what it used.</li></ul>",
        '<p><a href="/p.jpg"><img class="alignright" src="/p.jpg"></a>Sit on the floor.</p>',
        '<p><img style="float: left" src="/p.jpg">Sit on the floor.</p>',
        '<p><a href="/p.jpg"><img src="/p.jpg"></a>Some posts bend, and rise again.</p>',
        f"<div class=align-right>{IMG}</div><p><em>You may sit on the floor.</em></p>",
    ],
)
def test_text_beside_a_picture_is_no_caption(html: str) -> None:
    assert caption(html) == Caption()


def test_a_caption_in_italics_in_the_paragraph_of_its_picture_may_be_long() -> None:
    text = "The boat lies at the quay and waits for the tide. " * 5
    for around in ("<p>{}<br><em>{}</em><br><br>{}</p>", "<p>{}<br>{}<br><br>{}</p>"):
        found = caption(around.format(IMG, text, PARAGRAPH)).text
        assert bool(found) is ("em" in around)
    assert not caption(f"<p>{IMG}</p><p><em>{text}</em></p><p>{PARAGRAPH}</p>").text


def test_captions_of_many_pictures_above_a_text_of_many_parts_are_found_in_linear_time() -> None:
    text = "".join(f"<em>Tide {n}</em> " for n in range(3000))
    pictures = "".join(f"<img src=/{n}.jpg width=600 height=400>" for n in range(3000))
    page = read_page("<div class=box>" * 20 + f"{pictures}<p>{text}</p>")
    candidates = find_candidates(page)
    finder = CaptionFinder(page, candidates)
    started = time.process_time()
    assert not any(finder.find(candidate).text for candidate in candidates)
    assert time.process_time() - started < 4


def test_a_gallery_may_have_its_caption_below() -> None:
    row = "<div><div><div><div><figure>{}</figure></div></div></div></div>"
    line = "<p><b><em>The boat.</em></b></p>"
    gallery = row.format(f"{IMG}</figure><figure><img src=/q.jpg>")
    page, _ = read(f"<div>{gallery}</div>{line}")
    candidates = find_candidates(page)
    assert CaptionFinder(page, candidates).find(candidates[1]).text == "The boat."
    assert caption(f"<div>{row.format(IMG)}</div>{line}").text == ""


def test_centred_text_is_no_caption() -> None:
    text = "".join(f"<p align=center>{line}</p>" for line in ("The boat.", "It sank.", "We swam."))
    assert caption(f"<p align=center>{IMG}</p>{text}").text == ""


def test_an_agency_at_the_end_is_a_credit() -> None:
    found = caption(
        f"<figure>{IMG}<figcaption>The boat, he says. Ada Lee/dpa</figcaption></figure>"
    )
    assert (found.text, found.credit) == ("The boat, he says.", "Ada Lee/dpa")
    alone = caption(f"<figure>{IMG}<figcaption>Ada Lee of AFP</figcaption></figure>")
    assert (alone.text, alone.credit) == ("Ada Lee of AFP", "")


@pytest.mark.parametrize(
    "counter", ["1 / 7", "<span>2</span> of <span>12</span>", "3 min", "<b>Video</b>"]
)
def test_a_counter_is_no_caption_and_no_text(counter: str) -> None:
    found = caption(f'<div>{IMG}<p class="caption">{counter}</p></div>')
    assert found.text == ""
    assert len(found.segments) == 1


def test_the_caption_of_code_is_not_that_of_a_picture_inside_it() -> None:
    found = caption(
        f"<figure><pre>{IMG}<code>ring()</code></pre><figcaption>Ring it.</figcaption></figure>"
    )
    assert not found.segments


def test_a_repeated_caption_is_printed_once() -> None:
    found = caption(f'<div>{IMG}<div class="caption"><p>The boat.</p><p>The boat.</p></div></div>')
    assert found.text == "The boat."
    assert len(found.segments) == 2


def test_a_caption_is_found_across_the_sources_that_a_parser_nests() -> None:
    nested = "<source>" * 9 + IMG + "</source>" * 9
    slide = f'<div><div><picture>{nested}</picture></div><div><p class="caption">The boat.</p>'
    assert caption(slide + "</div></div>").text == "The boat."


@pytest.mark.parametrize(
    "html",
    [
        IMG,
        f"<div>{IMG}<p>Read what the mayor said:</p></div>",
        f'<a href="/x"><figure>{IMG}<figcaption><h3>Letter</h3>Weekly.</figcaption></figure></a>',
        f"<div>{IMG}</div><h2>A heading</h2>",
        f'<div>{IMG}<h2 class="text-and-image__title">A heading</h2></div>',
        f"<p>{IMG}</p><p>A short paragraph.</p>",
        f'<p>{IMG}</p><p><a href="/x">A link to another page</a></p>',
        f"<p>{IMG}{PARAGRAPH}</p>",
        f'<div>{IMG}</div><div class="g-recaptcha">Are you human?</div>',
        f'<div>{IMG}<div class="cat-overlay">NEWS</div></div>',
        f"<div>{IMG}<p>©2011 <a href=/a>About us</a> <a href=/b>Blog</a> <a href=/c>Help</a></p></div>",
    ],
)
def test_other_text_is_no_caption(html: str) -> None:
    assert caption(html) == Caption()


@pytest.mark.parametrize(
    ("inner", "text", "credit"),
    [
        ('The boat. <span class="credit">Photo: A. Name</span>', "The boat.", "Photo: A. Name"),
        ("The boat. <small>A. Name</small>", "The boat.", "A. Name"),
        ('<b class="caption_text">The boat</b><b class="caption_author">A. Name</b>',
         "The boat", "A. Name"),
        ('The boat - <b class="img-caption__copyright">© A. Name</b> <small>© A. Name</small>',
         "The boat", "© A. Name"),
        ('<p>The boat.</p><p class="copyright">© A. Name</p>', "The boat.", "© A. Name"),
        ("The boat. <i>Picture by A. Name</i>", "The boat.", "Picture by A. Name"),
        ("The boat. (Photo: A. Name)", "The boat.", "Photo: A. Name"),
        ('The boat.<b class="credit"><i>Credit</i><i>Credit<b>A. Name</b></i></b>',
         "The boat.", "A. Name"),
        ('The boat.<b class="credit"><i>Photo</i><i>A. Name</i></b>',
         "The boat.", "Photo A. Name"),
        ("The boat, 2024.Photo: A. Name", "The boat, 2024.", "Photo: A. Name"),
        ("The boat © A. Name/Agency", "The boat", "© A. Name/Agency"),
        ("Das Boot. Foto: A. Name. Haare: B. Name", "Das Boot.", "Foto: A. Name. Haare: B. Name"),
        ("El barco | Crédito: A. Name", "El barco", "Crédito: A. Name"),
        ("Лодка. Фото: А. Имя", "Лодка.", "Фото: А. Имя"),
        ("The boat. Image Credit: A. Name", "The boat.", "Image Credit: A. Name"),
        ("Image Credit: A. Name", "Image Credit: A. Name", ""),
        ("Photo: A. Name", "Photo: A. Name", ""),
        ("She says the photo: it shows a boat", "She says the photo: it shows a boat", ""),
        ('The boat <b class="c-caption__credit"><i class="c-caption__credit-description">Credit</i>'
         ": Photo: A. Name</b>", "The boat", "Photo: A. Name"),
        ('<span class="credit">A. Name</span>', "A. Name", ""),
        ("The boat. <i><b>Photo by: </b>A. Name</i>", "The boat.", "Photo by: A. Name"),
        ('The boat.<button>Enlarge</button>', "The boat.", ""),
        ("<b>The boat.</b><b>A. Name/Agency</b>", "The boat.", "A. Name/Agency"),
        ("<b>The boat.</b><b>It sank.</b>", "The boat.It sank.", ""),
        ("The boat | <a class='buy' href='/buy'>Order a copy</a>", "The boat", ""),
        ('<i class="photo-author">By</i>', "", ""),
        ('The boat. <span class="caption__source">A. Name</span>', "The boat.", "A. Name"),
        ('The boat. <b class="m-caption__image-copyright">A. Name</b>', "The boat.", "A. Name"),
        ('The boat <b class="captionCredit">A. Name</b>', "The boat", "A. Name"),
        ('The boat <b class="caption-owner">A. Name</b>', "The boat", "A. Name"),
        (": The boat.", "The boat.", ""),
        ("<b>:</b> The boat: by night.", "The boat: by night.", ""),
        ("Das Boot. (Symbolfoto: A. Name)", "Das Boot.", "Symbolfoto: A. Name"),
        ("배. [사진 출처 = 연합뉴스]", "배.", "사진 출처 = 연합뉴스"),
        ("船（Ｃ）共同通信社", "船", "（Ｃ）共同通信社"),
        ("The boat. | Ann Other/Getty Images", "The boat.", "Ann Other/Getty Images"),
        ('<span class="visually-hidden">Image caption</span> The boat.', "The boat.", ""),
    ],
)  # fmt: skip
def test_the_credit_is_taken_apart(inner: str, text: str, credit: str) -> None:
    found = caption(f"<figure>{IMG}<figcaption>{inner}</figcaption></figure>")
    assert (found.text, found.credit) == (text, credit)


@pytest.mark.parametrize(
    ("inner", "text", "marks"),
    [
        ("(Photo: A. Name)", "Photo: A. Name", {("em",)}),
        ("© <b>A. Name</b>", "© A. Name", {("em",), ("strong", "em")}),
        ('<span class="credit">(A. Name)</span>', "A. Name", {("em",)}),
        ("(The boat.)", "(The boat.)", {()}),
        (f"Photo: {'the boat ' * 9}.", f"Photo: {'the boat ' * 9}.", {()}),
    ],
)
def test_a_credit_alone_is_in_italics_without_brackets(
    inner: str, text: str, marks: set[tuple[str, ...]]
) -> None:
    found = caption(f"<figure>{IMG}<figcaption>{inner}</figcaption></figure>")
    assert (found.text, found.credit) == (text, "")
    assert {span.marks for span in found.spans} == marks


def test_marks_and_links_are_kept_except_marks_of_the_full_caption() -> None:
    inner = "<em>The <b>Maid</b> of</em>\n <em><a href='/k'>Kester</a></em>"
    found = caption(f"<figure>{IMG}<figcaption>{inner}</figcaption></figure>")
    assert found.spans == (
        Span("The"),
        Span(" Maid", ("strong",)),
        Span(" of"),
        Span(" Kester", href="https://example.org/k"),
    )


def test_a_caption_of_several_paragraphs_claims_all_of_them() -> None:
    found = caption(f"<figure>{IMG}<figcaption><p>One.</p><p>Two.</p></figcaption></figure>")
    assert found.text == "One. Two."
    assert found.segments == {1, 2}


@pytest.mark.parametrize(
    "inner",
    [
        "<span>[1/5]</span> The boat.",
        "[2/5]The boat.",
        "2/5 The boat.",
        "The boat. [2/5]",
        "The boat. <a href='#'>View image credit</a>",
        "The boat. <span>Visa mer</span>",
        "<a href='#'>Agrandir</a> The boat.",
        "The boat. <a href=/p.jpg>Enlarge this image</a>",
        "The boat. <span>3 of 12</span>",
        "<span>2:34</span> The boat.",
    ],
)
def test_words_of_the_interface_are_no_caption(inner: str) -> None:
    assert caption(f"<figure>{IMG}<figcaption>{inner}</figcaption></figure>").text == "The boat."


@pytest.mark.parametrize(
    ("live", "text", "is_caption"),
    [
        ("polite", "Boat, picture 2 of 5", False),
        ("polite", "Boot (2/5)", False),
        ("off", "Boat, picture 2 of 5", True),
        ("polite", "The crew before the storm of 1990", True),
        ("polite", "The crew of 1988 and 1990", True),
        ("polite", "A crew of 2 to 5 is on board", True),
    ],
)
def test_a_place_that_is_announced_to_screen_readers_is_no_caption(
    live: str, text: str, *, is_caption: bool
) -> None:
    line = f"<div aria-live={live}><span>{text}</span></div>"
    assert caption(f"<div><div>{IMG}</div>{line}</div>").text == (text if is_caption else "")


def test_dots_are_no_caption() -> None:
    assert caption(f"<figure>{IMG}<figcaption>… <i>/</i></figcaption></figure>").text == ""


def test_a_counter_within_a_caption_is_kept() -> None:
    inner = "The boat carries 3 of 12 cars, says the captain."
    assert caption(f"<figure>{IMG}<figcaption>{inner}</figcaption></figure>").text == inner


def test_a_caption_may_be_named_within_its_line() -> None:
    html = (
        f'<div><div>{IMG}</div><div><span class="caption small">The boat at sea.</span></div></div>'
    )
    assert caption(html).text == "The boat at sea."


def test_a_line_that_goes_on_after_the_caption_is_text() -> None:
    html = f'<div>{IMG}Seen at sea: <span class="caption">The boat.</span> {PARAGRAPH}</div>'
    assert caption(html).text == ""


def test_a_line_after_the_picture_that_repeats_its_alternative_text_is_the_caption() -> None:
    text = "Ada Fenwick stands on the ferry at Kestermouth"
    picture = f'<img src="/p.jpg" width="600" height="400" alt="{text}">'
    html = (
        f"<div>{picture}<p>{text}. <span>Agency/A. Name</span></p><p>More text follows.</p></div>"
    )
    assert caption(html).text.startswith(text)
    html = f"<div>{picture}<p>Nothing of the kind is said here.</p><p>More text follows.</p></div>"
    assert caption(html).text == ""


def test_a_heading_with_the_id_of_a_caption_is_one() -> None:
    html = (
        f"<div><div>{IMG}</div><div class='imagetext'><h1 id='photocaption'>The boat at sea.</h1>"
        "<h2 id='photocredit'><b>Photograph by: </b>A. Name, Agency</h2></div></div>"
    )
    assert caption(html).text == "The boat at sea."
    assert caption(html).credit == "Photograph by: A. Name, Agency"


def test_below_a_player_whose_heading_leads_to_its_page_stands_the_caption() -> None:
    label = '<p>Audio</p><a href="/sound"><h3>How the ferry sounds in the fog</h3></a>'
    html = (
        f'<figure><figcaption class="caption-box">{label}</figcaption>{IMG}'
        '<div><span class="figcaption">The boat at sea.</span></div></figure>'
    )
    assert caption(html).text == "The boat at sea."
    card = f'<div><figure>{IMG}<figcaption class="caption">{label}</figcaption></figure></div>'
    assert caption(card).text == ""


def test_a_long_text_that_ends_in_the_length_of_a_film_is_its_caption() -> None:
    long = f"{PARAGRAPH}Then the boat came home."
    assert caption(f"<div><div>{IMG}</div><span>{long} 21.04. | 3:18 min</span></div>").text
    assert not caption(f"<div><div>{IMG}</div><span>{long} They met at 3.18.</span></div>").text


@pytest.mark.parametrize(
    ("inner", "text", "credit"),
    [
        ("<b class='box__captionText'>The boat</b><b class='box__captionCredit'>A. Name</b>",
         "The boat", "A. Name"),
        ("The boat sank. (A. Name/Agency)", "The boat sank.", "A. Name/Agency"),
        ("The boat sank. | A. Name", "The boat sank.", "A. Name"),
        ("The boat sank. | <strong>A. Name/Agency</strong>", "The boat sank.", "A. Name/Agency"),
        ("The boat sank. (May 3, 2012)", "The boat sank. (May 3, 2012)", ""),
        ("The boat (left) and the quay (right)", "The boat (left) and the quay (right)", ""),
        ("The boat of the (<abbr>KRC</abbr>) — © A. Name", "The boat of the (KRC)", "© A. Name"),
        ("<i class='photoCopyright'>The boat at sea.</i><i class='photoCopyright'>Photo: A. Name</i>",
         "The boat at sea.", "Photo: A. Name"),
        ("<i class='photoCopyright'>Bild © A. Name</i>", "Bild © A. Name", ""),
        ("<i class='photoCopyright'>A. Name of the Agency</i>", "A. Name of the Agency", ""),
        ("The boat.<span class='item__pagination'>--page-- of --total--</span>", "The boat.", ""),
    ],
)  # fmt: skip
def test_a_credit_after_a_caption_is_taken_apart(inner: str, text: str, credit: str) -> None:
    found = caption(f"<figure>{IMG}<figcaption>{inner}</figcaption></figure>")
    assert (found.text, found.credit) == (text, credit)


@pytest.mark.parametrize(
    ("alt", "below", "credit"),
    [
        ("The boat of the upper ferry at the quay", "Agency via Archive", "Agency via Archive"),
        ("The boat of the upper ferry at the quay", "It was sold in May.", ""),
        ("The boat of the upper ferry at the quay", "Step two: leave it to rest", ""),
        ("The boat of the upper ferry at the quay", "sold in May", ""),
        ("The upper ferry", "Agency", ""),
    ],
)
def test_a_name_below_a_caption_that_is_the_alternative_text_is_a_credit(
    alt: str, below: str, credit: str
) -> None:
    picture = IMG.replace("Not the caption", alt)
    lines = f"<p>{alt}</p><p>{below}</p>"
    found = caption(f"<figure>{picture}<figcaption>{lines}</figcaption></figure>")
    assert (found.text, found.credit) == (alt if credit else f"{alt} {below}", credit)


def test_a_credit_between_a_picture_and_its_caption_is_a_credit() -> None:
    credit = "<div class=copy>© A. Name</div>"
    found = caption(f"<figure><div>{IMG}{credit}</div><figcaption>The boat.</figcaption></figure>")
    assert (found.text, found.credit) == ("The boat.", "© A. Name")


def test_a_caption_that_repeats_the_title_of_the_page_is_not_printed() -> None:
    figure = f"<figure>{IMG}<figcaption><p>The boat sank</p><small>A. Name</small></figcaption>"
    page = read_page(f"<title>The boat sank</title><h1>The boat sank</h1>{figure}</figure>")
    candidates = find_candidates(page)
    found = CaptionFinder(page, candidates).find(candidates[0])
    assert (found.text, found.credit, len(found.segments)) == ("", "A. Name", 2)


@pytest.mark.parametrize(
    "html",
    [
        f"<figure>{IMG}<div><figcaption>The boat.</figcaption><cite>Photo: Ann Marl</cite></div></figure>",
        f"<div><figure>{IMG}<figcaption>The boat.</figcaption></figure><div><div>The boat.</div>"
        "<div class=image-copyright>Ann Marl</div></div></div>",
    ],
)
def test_a_credit_below_a_caption_or_its_copy_belongs_to_it(html: str) -> None:
    found = caption(html)
    assert (found.text, found.credit[-8:]) == ("The boat.", "Ann Marl")


def test_a_counter_before_a_credit_is_not_printed() -> None:
    line = "<div><span>2/28 photos</span> <span>© Ann Marl</span></div>"
    assert caption(f"<div><div>{IMG}</div>{line}<p>{PARAGRAPH}</p></div>").text == "© Ann Marl"


def test_a_line_and_a_credit_alone_with_a_picture_are_its_caption() -> None:
    found = caption(f"<div>{IMG}<p>The boat.</p><p>Photo: Ann Marl</p></div>")
    assert (found.text, len(found.segments)) == ("The boat.", 2)
    assert caption(f"<div>{IMG}<p>The boat.</p><p>It left at noon.</p></div>").text == ""


def test_a_caption_in_noscript_is_found_in_its_table() -> None:
    row = '<tr><td id="show-caption"><p>A ferry at dawn</p></td></tr>'
    table = f"<table><tr><td>{IMG}</td></tr>{row}</table>"
    assert caption(f"<div><noscript>{table}</noscript></div>").text == "A ferry at dawn"


def test_a_block_within_a_credit_is_parted_from_the_words_after_it() -> None:
    inner = "<span>A ferry</span><span class=credit>(<div><b></b>Image:</div>Orla Reed)</span>"
    found = caption(f"<figure>{IMG}<figcaption>{inner}</figcaption></figure>")
    assert (found.text, found.credit) == ("A ferry", "Image: Orla Reed")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<figure><h1>The ferry</h1>{IMG}<figcaption>The boat.</figcaption></figure>", "The boat."),
        (f"<figure><h3>The oar</h3>{IMG}<figcaption>The boat.</figcaption></figure>",
         "The oar The boat."),
        (f'<div>{IMG}<div class="caption-s">Harbours</div><p>The boat lies there.</p></div>', ""),
        (f'<div>{IMG}<div class="caption-side">The boat.</div></div>', "The boat."),
        (f'<div>{IMG}<div class="caption">3</div></div>', ""),
        (f'<div>{IMG}<div class="caption">4.5</div></div>', ""),
        (f'<div>{IMG}<div class="caption">3 boats</div></div>', "3 boats"),
        (f'<div>{IMG}<h5 class="bilduntertitel">The boat.</h5></div>', "The boat."),
        (f"<div>{IMG}<p>May 3, 2024</p></div>", ""),
        (f"<div>{IMG}<p>May 3, 2024 | 14 min read</p></div>", ""),
        (f"<div>{IMG}<p>May 3, 1912</p></div>", "May 3, 1912"),
        (f"<div>{IMG}<p>The quay, May 3, 2024</p></div>", "The quay, May 3, 2024"),
        (f"<p>{IMG}</p><p><em>This page was written by Orla Reed, a pilot.</em></p>", ""),
        (f"<p>{IMG}</p><p><em>By Orla Reed</em></p>", "By Orla Reed"),
        (f"<div>{IMG}<div><span class=cover__badge>Report</span></div></div>", ""),
        (f"<div>{IMG}<div><span class=cover__text>Report</span></div></div>", "Report"),
    ],
)  # fmt: skip
def test_lines_of_the_page_beside_a_picture_are_no_captions(html: str, text: str) -> None:
    head = '<title>The ferry</title><meta property="article:published_time" content="2024-05-03">'
    page = read_page(f"<head>{head}</head><p>{PARAGRAPH}</p>{html}<p>{PARAGRAPH}</p>", URL)
    assert CaptionFinder(page, candidates := find_candidates(page)).find(candidates[0]).text == text


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("The boat at night. Image via Ben Marl.", ("The boat at night.", "Image via Ben Marl.")),
        ("The boat at night, an image by Ben Marl.",
         ("The boat at night, an image by Ben Marl.", "")),
        ("The boat <b></b>. Source: Marl Council", ("The boat", "Source: Marl Council")),
        ("The boat | Photographer: Ben Marl", ("The boat", "Photographer: Ben Marl")),
        ("The boat (fot. Ben Marl)", ("The boat", "fot. Ben Marl")),
        ("The boat, Fot. Ben Marl", ("The boat", "Fot. Ben Marl")),
    ],
)  # fmt: skip
def test_the_end_of_a_caption_is_its_credit(line: str, parts: tuple[str, str]) -> None:
    found = caption(f"<figure>{IMG}<figcaption>{line}</figcaption></figure>")
    assert (found.text, found.credit) == parts


def test_the_speaker_below_a_quotation_is_no_caption() -> None:
    quote = "<blockquote><p>It silts.</p><footer class=quote-caption>A. Moor</footer></blockquote>"
    assert caption(f"<figure><div>{IMG}</div><div>{quote}</div></figure>").text == ""
    inside = f"<blockquote><div>{IMG}<p class=caption>The boat.</p></div></blockquote>"
    assert caption(inside).text == "The boat."


def test_a_credit_may_be_in_a_named_box_beside_the_figure() -> None:
    figure = f"<div><div><figure>{IMG}<figcaption>The boat at the quay.</figcaption></figure></div></div>"
    copy = "<div><div>The boat at the quay.</div></div>"
    line = '<div><div class="{}"><div>agency | Ann Marl</div></div></div>'
    page = f"<div><div>{figure}</div><div>{copy}{{}}</div></div><p>{PARAGRAPH}</p>"
    assert caption(page.format(line.format("image-copyright"))).credit == "agency | Ann Marl"
    assert caption(page.format(line.format("boat-line"))).credit == ""


def test_the_lines_that_the_alternative_text_consists_of_are_the_caption() -> None:
    text, credit = "The ferry at the quay of Kestermouth", "Orla Reed, free for any use"
    picture = f'<div><img src="/p.jpg" alt="{text} / {credit}"></div>'
    lines = f"<div>{text}</div><div class=source><cite>{credit}</cite></div>"
    box = f"<div><h2>Picture</h2>{picture}{lines}</div><p>More text follows.</p>"
    found = caption(box)
    assert (found.text, found.credit) == (text, credit)
    assert caption(box.replace(text + "<", "Another line of the page<")).text == ""


def test_a_caption_ends_before_the_next_picture() -> None:
    inner = f"<div>{IMG.replace('p.jpg', 'q.jpg')}<p class=caption>The oar.</p></div>"
    page, _ = read(f"<div>{IMG}<p class=caption>The boat.</p>{inner}</div>")
    finder = CaptionFinder(page, candidates := find_candidates(page))
    assert [finder.find(candidate).text for candidate in candidates] == ["The boat.", "The oar."]


@pytest.mark.parametrize(
    ("html", "parts"),
    [
        ("<p class=tidePhotoCredit>Orla Reed/Tide</p><p class=tidePhotoCaption>The boat.</p>",
         ("The boat.", "Orla Reed/Tide")),
        ("<p class=imgCopyright><a href=/reed>Photo by Orla Reed</a></p><p>More.</p>",
         ("Photo by Orla Reed", "")),
        ("<p>Photo</p><p class=foto-urheber>Orla Reed</p>", ("Orla Reed", "")),
        ("<p class=copyright>© Orla Reed</p></div><p class=caption>The boat.</p>",
         ("The boat.", "© Orla Reed")),
        ("<p class=copyright>© Orla Reed</p></div><h2 class=lead-caption-box>The boat</h2>",
         ("The boat", "© Orla Reed")),
        ("<p class=copyright>© Orla Reed</p></div><div class=text-caption><p>The boat.</p></div>",
         ("The boat.", "© Orla Reed")),
        (" Orla Reed/The Tide <p class=caption>The boat.</p>", ("The boat.", "Orla Reed/The Tide")),
        (" Below the quay. <p class=caption>The boat.</p>", ("The boat.", "")),
        ("<p class=caption> The boat sails. \n<span>TIDE/Orla Reed</span>\n </p><p>More.</p>",
         ("The boat sails.", "TIDE/Orla Reed")),
        ("<div class=caption><h2>The boat</h2></div><p>More.</p>", ("The boat", "")),
        (f"<figure>{IMG}<figcaption>The boat.</figcaption><small>Tide / Reed</small></figure>",
         ("The boat.", "Tide / Reed")),
        (f"<figure>{IMG}<figcaption>The boat.</figcaption><b>Read on</b></figure>",
         ("The boat.", "")),
        ("<p class='img--right box'>The text beside it goes on.</p><p>More.</p>", ("", "")),
        ("<p class=has-drop-cap>The text below it goes on.</p><p>More.</p>", ("", "")),
        ("<p class=no_credit>Sail today and pay later.</p><p>More.</p>", ("", "")),
    ],
)  # fmt: skip
def test_lines_named_captions_or_credits_are_found_around_a_picture(
    html: str, parts: tuple[str, str]
) -> None:
    picture = "" if "<figure>" in html else IMG
    found = caption(f"<div><div>{picture}{html}</div></div><p>{PARAGRAPH}</p>")
    assert (found.text, found.credit) == parts


def test_a_named_caption_is_below_the_last_picture_of_a_box_of_several() -> None:
    other = "<div><img src=/q.jpg><p>from</p></div>"
    line = "<p class=photo-caption>The boat.</p>"
    page, _ = read(f"<div>{other}{IMG}{line}<p>{PARAGRAPH}</p></div>")
    finder = CaptionFinder(page, candidates := find_candidates(page))
    assert [finder.find(candidate).text for candidate in candidates] == ["from", "The boat."]
    assert caption(f"<div><p>{IMG}</p><p>Ships.</p>{other}{line}<p>More.</p></div>").text == ""


def test_the_text_of_a_slide_repeats_the_alternative_text_below_the_counter() -> None:
    line = "The ferry at the quay of Kestermouth in the storm"
    slide = f'<ul><li><img src="/p.jpg" alt="{line}"></li></ul><div>1 / 5</div>'
    text = f"<h1>{line} (Orla Reed/Tide)</h1><div>{line} (Orla Reed/Tide)</div>"
    assert caption(f"<div>{slide}<div>{text}</div></div><p>More.</p>").text.startswith(line)
    other = text.replace("ferry", "mayor")
    assert caption(f"<div>{slide}<div>{other}</div></div><p>More.</p>").text == ""


def test_a_sentence_in_a_box_for_a_picture_and_text_is_no_caption() -> None:
    box = f"<section class='{{}}'><div>{IMG}</div><div><p>We build boats.</p></div></section>"
    assert caption(box.format("image-with-text")).text == ""
    assert caption(box.format("picture")).text == "We build boats."


def test_a_box_far_around_a_caption_may_be_named_like_a_button() -> None:
    html = f"<div>{IMG}<p class=caption>The boat.</p></div>"
    wide = f"<div class=uk-width-expand><div><div><div>{html}</div></div></div></div>"
    assert caption(wide).text == "The boat."
    assert caption(html.replace("class=caption", "class='caption btn'")).text == ""


def test_a_credit_may_follow_the_caption_of_a_figure() -> None:
    line = "<span class=img-line>Bildquelle: <a href=/tam>Tam Reed</a></span>"
    found = caption(f"<figure>{IMG}<figcaption>The boat.</figcaption>{line}</figure>")
    assert (found.text, found.credit) == ("The boat.", "Bildquelle: Tam Reed")


def test_the_name_of_the_section_over_a_picture_is_no_caption() -> None:
    box = f"<div class=thumbnail>{IMG}<span class=flag>{{}}</span></div>"
    head = "<meta property=article:section content=Rivers>"
    texts = []
    for label in ("Rivers", "Boats"):
        page = read_page(f"{head}<p>{PARAGRAPH}</p>{box.format(label)}<p>{PARAGRAPH}</p>", URL)
        candidates = find_candidates(page)
        texts.append(CaptionFinder(page, candidates).find(candidates[0]).text)
    assert texts == ["", "Boats"]


def test_the_caption_of_a_figure_whose_picture_is_not_loaded_belongs_to_no_other_picture() -> None:
    chart = "<div><noscript><img src=/chart.png></noscript></div><p>The mayor waits.</p>"
    blank = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    figure = f"<figure><img src='{blank}'><figcaption class=caption>The boat.</figcaption></figure>"
    assert caption(f"<div>{chart}{figure}</div>").text == ""
    empty = "<figure><figcaption class=caption>The boat.</figcaption></figure>"
    assert caption(f"<div><div>{IMG}</div>{empty}</div>").text == "The boat."
    nested = f"<figure><figure>{IMG}</figure><div class=caption>The boat.</div></figure>"
    assert caption(nested).text == "The boat."
