"""Results: what they say about the file."""

import pytest

from printer.output import Result


def test_only_a_pdf_is_one():
    assert Result(b"%PDF", 1, "A").pdf == b"%PDF"
    with pytest.raises(ValueError, match="epub, not pdf"):
        _ = Result(b"PK", 0, "A", format="epub").pdf
