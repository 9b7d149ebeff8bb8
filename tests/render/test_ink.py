"""The check for misplaced ink finds it."""

from printer.options import PrintOptions
from printer.render.weasy.engine import render_pdf
from tests.support.documents import render_html
from tests.support.pdf_glyphs import find_overlaps
from tests.support.sample_articles import SAMPLE_ARTICLE


def faults_with(css):
    return find_overlaps(render_pdf(render_html([SAMPLE_ARTICLE], {}, PrintOptions(css=css))).pdf)


def test_letters_on_others_are_seen():
    assert any("overlap" in fault for fault in faults_with("h2 { margin-bottom: -1.9rem }"))


def test_letters_outside_the_page_are_seen():
    assert any("outside" in fault for fault in faults_with("h1 { margin-left: -9cm }"))


def test_a_sound_page_has_no_faults():
    assert faults_with("") == []
