"""Print the specimen sheet: `python samples/make_specimen.py [THEME]` writes samples/specimen.pdf.

It shows every element and every script that the themes set, one article each, with a cover and
contents; the articles are those which the tests of printing use.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    sys.path.insert(0, str(HERE.parent / "tests"))
    from printer.options import PrintOptions
    from printer.output import PreparedPictures
    from printer.render.book import render_articles
    from printer.render.context import RenderContext
    from tests.support.sample_articles import SAMPLE_ARTICLE, SCRIPT_ARTICLES, pictures

    theme = sys.argv[1] if len(sys.argv) > 1 else "article"
    options = PrintOptions(
        theme=theme, links="footnote", title="A specimen sheet", deterministic=True
    )
    context = RenderContext.of([SAMPLE_ARTICLE, *SCRIPT_ARTICLES.values()], options)
    prepared = PreparedPictures(pictures=pictures())
    volume = render_articles(context, lambda _places: prepared)
    out = HERE / "specimen.pdf"
    out.write_bytes(volume.pdf)
    print(f"{out.relative_to(HERE.parent)}  {volume.pages} pages, {len(volume.pdf):,} bytes")
    for warning in volume.warnings:
        print(warning, file=sys.stderr)
    return 1 if volume.warnings or volume.failed else 0


if __name__ == "__main__":
    sys.exit(main())
