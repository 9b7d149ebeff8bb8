"""An article's key paragraphs alone, or set off before it, and what it is about."""

from __future__ import annotations

from dataclasses import replace

from ..article import Article, Block, Note, Paragraph, Quote, Span, child_blocks, plain_text, walk
from ..options import ExtractOptions
from .keywords import build_profile
from .tokenizer import Tokenizer

#: A paragraph of fewer words says nothing by itself.
_FEWEST = 5
#: So many keywords are told.
KEYWORDS = 8


def summarize(article: Article, options: ExtractOptions) -> Article:
    """Return an article with as many key paragraphs as the options ask for.

    The paragraphs are those of the running text; what stands in lists, tables and notes is none.
    An article with no more than so many is left as it is.
    """
    count = options.key_paragraphs
    if count <= 0:
        return article
    paragraphs = list(_running(article.blocks))
    if len(paragraphs) <= count:
        return article
    texts = [plain_text(paragraph.spans) for paragraph in paragraphs]
    asked = options.query or article.title
    found = build_profile(texts, Tokenizer(article.language), asked)
    chosen = [paragraphs[place] for place in found.best(count)] or paragraphs[:count]
    article = replace(article, keywords=found.keywords[:KEYWORDS])
    if options.key_paragraphs_as == "box":
        return replace(article, key=tuple(map(_bare, chosen)))
    called = {span.note for paragraph in chosen for span in paragraph.spans if span.note}
    notes = [b for b in walk(article.blocks) if isinstance(b, Note) and b.id in called]
    return replace(article, blocks=(*chosen, *notes))


def _running(blocks: tuple[Block, ...]) -> list[Paragraph]:
    """Return the paragraphs of the running text, those of quotations among them."""
    found: list[Paragraph] = []
    for block in blocks:
        if isinstance(block, Paragraph) and _speaks(plain_text(block.spans)):
            found.append(block)
        elif isinstance(block, Quote):
            for within in child_blocks(block):
                found += _running(within)
    return found


def _speaks(text: str) -> bool:
    """Tell whether a text is long enough to say something, in a script with spaces or without."""
    unspaced = sum("\u0e00" <= c <= "\u0eff" or "\u3040" <= c <= "\u9fff" for c in text)
    return len(text.split()) + unspaced >= _FEWEST


def _bare(paragraph: Paragraph) -> Paragraph:
    """Return a paragraph that may stand twice: without notes, links and places to link to."""
    spans = tuple(_plain(span) for span in paragraph.spans if not span.note)
    return replace(paragraph, spans=spans, id="")


def _plain(span: Span) -> Span:
    return replace(span, href="", id="", title="")
