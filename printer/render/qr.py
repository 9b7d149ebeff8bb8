"""QR codes: an address that a telephone reads off the paper."""

from __future__ import annotations

from io import BytesIO

from ..output import Picture

#: A longer address makes a code too fine to print small and be read.
LONGEST = 600

#: White modules that a reader needs around the code.
QUIET = 2


def qr_picture(url: str) -> Picture | None:
    """Return the QR code of an address as a drawing; None for one that is too long for it."""
    import segno

    if not url or len(url.encode()) > LONGEST:
        return None
    code = segno.make(url, error="m" if len(url) <= 150 else "l", micro=False)
    svg = BytesIO()
    code.save(svg, kind="svg", border=QUIET, omitsize=True, xmldecl=False)
    side = int(code.symbol_size(border=QUIET)[0])
    return Picture(svg.getvalue(), "image/svg+xml", side, side)
