"""Mend text that was encoded twice: UTF-8 read as a one-byte charset and written as UTF-8 again.

Databases moved from one system to another are full of it ('donâ€™t' for 'don’t'), and browsers
show it as it is.  A sequence that is valid UTF-8 when read back byte by byte, and has a control
character in it, is nothing else; where a page has several, what looks alike without one is mended
too, unless the same signs stand there rightly as well: then the page tells of the fault.
"""

from __future__ import annotations

import re
from collections import Counter

#: Which character of Windows-1252 stands for which byte, and Latin-1's for the rest.
_SHOWN = {bytes([byte]).decode("cp1252", "replace"): byte for byte in range(0x80, 0xA0)}
_BYTES = str.maketrans({char: chr(byte) for char, byte in _SHOWN.items() if char != "\ufffd"})
_NEXT = "[\x80-\xbf" + re.escape("".join(map(chr, _BYTES))) + "]"
#: A set at the beginning lets the search skip what is in none.
_SEQUENCES = re.compile(f"[Â-ô](?:(?<=[Â-ß]){_NEXT}|(?<=[à-ï]){_NEXT}{{2}}|(?<=[ð-ô]){_NEXT}{{3}})")
#: What hardly stands before a sign in any language: Ã© is é, â€™ is an apostrophe, ðŸ™‚ a smile.
_LEADS = frozenset("ÂÃâðï")
#: What begins most of them: a page without any is not searched.
_SIGNS = ("Ã", "Â", "â\x80", "â€", "ð\x9f", "ðŸ")
_CONTROLS = re.compile("[\x80-\x9f]")
#: A page with so many of them, and hardly one such sign as it should be, has the fault itself.
_ENOUGH, _HARDLY = 3, 0.25


def fix_mojibake(text: str) -> str:
    """Return text with what was encoded twice decoded once more."""
    # Finding one letter is quicker than finding two, and most pages have none of these.
    if text.isascii() or not any(lead in text for lead in "ÃÂâð"):
        return text
    if not any(sign in text for sign in _SIGNS):
        return text
    counts = Counter(_SEQUENCES.findall(text))
    found = {sequence: _decoded(sequence) for sequence in counts}
    wrong = [sequence for sequence in counts if found[sequence] != sequence]
    sure = [sequence for sequence in wrong if _CONTROLS.search(sequence)]
    likely = [sequence for sequence in wrong if sequence[0] in _LEADS]
    seen = sum(counts[sequence] for sequence in likely)
    signs = {sign for sequence in likely for sign in found[sequence]} - {"\xa0"}
    right = sum(map(text.count, signs))
    if seen < _ENOUGH or right > seen * _HARDLY:
        if not sure:
            return text
        found = {sequence: sequence for sequence in counts} | {each: found[each] for each in sure}
    return _SEQUENCES.sub(lambda match: found[match[0]], text)


def _decoded(sequence: str) -> str:
    try:
        return sequence.translate(_BYTES).encode("latin-1").decode()
    except UnicodeError:
        return sequence
