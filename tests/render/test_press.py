"""The press is forked, so each test runs it in a process of its own, without other threads."""

import subprocess
import sys

import pytest

SETUP = """
import os, signal
from printer.render.worker_pool import Press
press = Press()
from printer.article import Article, Paragraph, Span
from printer.errors import RenderError
from printer.render.context import render_html
document = render_html([Article("A day", (Paragraph((Span("The tide comes in."),)),))], {})
"""

PRINTS = """
first, second = press.to_pdf(document), press.to_pdf(document)
assert first.pdf.startswith(b"%PDF") and first.pages == second.pages == 1
"""

ENDED = """
os.kill(press._pid, signal.SIGKILL)
assert press.to_pdf(document).pages == 1, "killed once, it prints with another"
try:
    press.call("killing", signal.raise_signal, signal.SIGKILL)
except RenderError as error:
    assert "ended in the midst of killing" in str(error) and error.ended
else:
    raise AssertionError("a dead press answered")
"""

FAILS = """
import dataclasses
try:
    press.to_pdf(dataclasses.replace(document, html=None))
except RenderError as error:
    assert "could not print" in str(error), error
else:
    raise AssertionError("nothing was printed as something")
assert press.to_pdf(document).pages == 1
"""

INTERRUPTED = """
os.kill(press._pid, signal.SIGINT)
assert press.to_pdf(document).pages == 1
"""

CLOSED = """
pid = press._pid
press.close()
try:
    os.kill(pid, 0)
except ProcessLookupError:
    pass
else:
    raise AssertionError("the press goes on after it was closed")
"""


@pytest.mark.parametrize("code", [PRINTS, ENDED, FAILS, INTERRUPTED, CLOSED], ids=range(5))
def test_the_press(code):
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", SETUP + code], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr


def test_a_press_whose_program_is_killed_ends_too():
    code = SETUP + "print(press._pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    # The pipe that the press held open as well is closed by now, or this would not have returned.
    assert int(ran.stdout) > 0


SLOW = """
import time
press.limit = 0.0
began = time.monotonic()
try:
    press.to_pdf(document)
except RenderError as error:
    assert "--print-timeout" in str(error), error
else:
    raise AssertionError("a print without time was made")
assert time.monotonic() - began < 5
press.limit = 60.0
assert press.to_pdf(document).pages == 1
assert press.to_pdf(document).pages == 1
press.close()
"""

STARTS_ANEW = """
try:
    press.call("ending", os._exit, 0)
except RenderError:
    pass
assert press.to_pdf(document).pages == 1
press.close()
"""


REPLACED = """
from printer.render import worker_pool as module
module.MOST_PRINTS = 2
first = press._pid
assert press.to_pdf(document).pages == press.to_pdf(document).pages == 1
assert press._pid == 0, "it was not ended after its last print"
assert press.to_pdf(document).pages == 1
assert press._pid not in (0, first)
press.close()
"""

WITHOUT_FORK = """
press.close()
press = Press(60.0, fork=False)
assert press._pid == 0
assert press.to_pdf(document).pages == 1
press.close()
press.close()
"""


@pytest.mark.parametrize(
    "code",
    [SLOW, STARTS_ANEW, REPLACED, WITHOUT_FORK],
    ids=["slow", "ended", "replaced", "not-forked"],
)
def test_a_press_that_was_ended_prints_the_next_document(code):
    test_the_press(code)


APART = """
import dataclasses, sys
from printer.errors import RenderError
from printer.capture import Capture
from printer.output import PreparedPictures
from printer.options import PrintOptions
from printer.render_stage import SetOptions, set_articles
from printer.render.worker_pool import RenderPool
press = RenderPool()
from printer.article import Article, Paragraph, Span
article = Article("A day", (Paragraph((Span("The tide comes in."),)),), language="en")
page = article, Capture(b"<p>", "https://example.org/", "https://example.org/")
options = SetOptions(PrintOptions(deterministic=True))
def printed(page, press):
    return set_articles([page], lambda places: PreparedPictures(), options, press)
"""

SAME = """
there = printed(page, press)
assert "printer.render.context" not in sys.modules, "its HTML was made here"
here = printed(page, None)
assert there == here and there.data == here.data
"""

FAULTY = """
try:
    printed((dataclasses.replace(article, blocks=(Paragraph(7),)), page[1]), press)
except RenderError as error:
    assert "could not be set: " in str(error), error
else:
    raise AssertionError("a number was printed as a paragraph")
assert printed(page, press).pages == 1
"""


@pytest.mark.parametrize("code", [SAME, FAULTY], ids=["same", "faulty"])
def test_an_article_set_in_the_press(code):
    code = f"{APART}{code}\npress.close()"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr


def test_what_weasyprint_seldom_needs_is_loaded_when_it_is_called():
    code = (
        "import sys; from printer.render.spared import load_weasyprint; load_weasyprint();"
        "from weasyprint.pdf import fonts;"
        "assert not {'fontTools.subset', 'fontTools.varLib'} & set(sys.modules);"
        "made = fonts.subset.Options(hinting=False); assert made.hinting is False;"
        "from fontTools import subset; assert type(made) is subset.Options;"
        "from fontTools.ttLib import TTFont, TTLibError\n"
        "try: fonts.instantiateVariableFont(TTFont(), {})\n"
        "except (ValueError, KeyError, TTLibError) as error: print(type(error).__name__, error)\n"
        "else: raise AssertionError('an empty font has no axes')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "fvar" in ran.stdout, ran.stdout
