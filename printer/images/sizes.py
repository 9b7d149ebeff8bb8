"""How large a picture has to be, by what the page declares or by its file (CUTER, section IV)."""

from __future__ import annotations

from dataclasses import dataclass

#: Strips that advertisements are sold in; no photograph is cut to exactly these.
STRIPS = frozenset({
    (728, 90), (970, 90), (970, 250), (468, 60), (234, 60), (320, 50), (320, 100), (300, 50),
    (120, 600), (160, 600), (300, 600), (300, 1050),
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """The smallest sides in pixels, the largest ratio of the sides, and the smallest file.

    The defaults are CUTER's, except the ratio, for which the paper names no number.  ``long`` is
    the least of the longer side; ``small_file`` is the shorter side from which on a picture may
    have a file of less than ``file`` bytes (0: no picture may).  ``strips`` refuses the sizes
    that advertisements are sold in.
    """

    side: int = 150
    long: int = 150
    ratio: float = 3.5
    file: int = 2048
    small_file: int = 0
    strips: bool = False

    def fault(self, width: int, height: int, size: int | None = None) -> str:
        """Return why a picture of these sides, and of a file of ``size`` bytes, is refused."""
        shown = f"{width} x {height} pixels"
        low, high = sorted((width, height))
        if low < self.side or high < self.long:
            return f"too small ({shown})"
        if high > self.ratio * low or (self.strips and (width, height) in STRIPS):
            return f"shaped like a banner ({shown})"
        if size is not None and size < self.file and not 0 < self.small_file <= low:
            return f"too small a file ({size} bytes)"
        return ""


#: CUTER's limits.
PAPER = SizeLimits()

#: What the file of a picture must not be, whatever else speaks for it: a spacer, an icon, a small
#: portrait, a banner.  Formulas are low, and diagrams have small files too.
ICONS = SizeLimits(side=16, long=100, ratio=9.0, small_file=150, strips=True)
