"""Measure composed articles out of fold: `python -m benchmarks.out_of_fold SAVED [--labels]`.

SAVED is the file written by `python -m benchmarks.train --save SAVED`: for every page, the choice
of a model that was not trained on its site.  The choice is postprocessed, completed with pictures
and composed as in `printer.extract`, and scored as in `benchmarks.text_quality`, so that the
figures are those of printed articles.  The weights of the picture selection were learned on other
labels.

With ``--labels`` the answers choose instead, and SAVED only where they are silent: the upper bound
for any choice of segments.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from printer import Article
from printer.compose import compose, find_posts, select_posts
from printer.extraction import correct_selection
from printer.html.page import read_page
from printer.images import drop_captions, place_pictures, select_pictures
from printer.options import ExtractOptions
from printer.selection import Verdict

from .corpus import TRAINING_SETS, Sample, is_available, samples
from .protocol import Effort
from .segment_labels import from_snippets, from_text
from .text_quality import measure


def composing(
    saved: Mapping[str, Mapping[str, Any]], *, labels: bool = False
) -> Callable[[Sample], Article]:
    """Return a function that composes the article of a page from the saved or labeled choice."""
    options = ExtractOptions()

    def read(sample: Sample) -> Article:
        page, values = read_page(sample.html, sample.url), saved[sample.key]
        if not page.segments:
            return Article(title="", blocks=())
        if labels:
            values = _labeled(sample, [segment.text for segment in page.segments], values)
        scores = {"default": tuple(values["scores"])}
        verdict = correct_selection(
            page, Verdict(tuple(values["keep"]), scores, kind=values["kind"])
        )
        posts = find_posts(page, verdict)
        verdict = select_posts(page, verdict, posts)
        choice = select_pictures(page, verdict, options)
        verdict = drop_captions(page, verdict, choice)
        return compose(page, verdict, place_pictures(page, choice), posts=posts)

    return read


def _labeled(sample: Sample, texts: Sequence[str], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the saved values of a page with the answer's choice, and its kind if known."""
    if sample.text is None:
        answers = from_snippets(texts, sample.required, sample.forbidden)
    else:
        answers = from_text(texts, sample.text)
    keep = np.where(np.isnan(answers), values["keep"], answers >= 0.5)
    kind = sample.kind if sample.set == "wcxb" else values["kind"]
    return {**values, "keep": keep.tolist(), "kind": kind}


@contextmanager
def saved_choices(effort: Effort) -> Iterator[Mapping[str, Mapping[str, Any]] | None]:
    """Yield the choices out of fold: saved ones, or new ones if there is time."""
    if effort.choices:
        yield json.loads(Path(effort.choices).read_text())
    elif effort.quick or effort.short or find_spec("lightgbm") is None:
        yield None
    else:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "choices.json"
            command = [sys.executable, "-m", "benchmarks.train", "--report", "--save", str(file)]
            subprocess.run(command, check=True)
            yield json.loads(file.read_text())


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("saved", type=Path, metavar="SAVED")
    parser.add_argument(
        "--labels", action="store_true", help="use the labels instead of the choices"
    )
    options = parser.parse_args()
    if not is_available():
        raise SystemExit("the corpus is not available: see docs/model-card.md")
    read = composing(json.loads(options.saved.read_text()), labels=options.labels)
    for figure, value in measure(
        read, (s for name in TRAINING_SETS for s in samples(name))
    ).items():
        if not figure.startswith("ms."):
            print(f"  {figure:28} {value:.4f}")


if __name__ == "__main__":
    main()
