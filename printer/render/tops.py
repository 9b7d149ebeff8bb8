"""What begins a column stands at its top: its margin is for what stands above.

CSS says so of a page (css-break-3, 5.2), and WeasyPrint does so there, but not in columns, so that
one begun by a heading would stand lower than its neighbours.  Of WeasyPrint's inside this module
knows ``block_level_layout``, which is given a block and the column that it is put in.
"""

from __future__ import annotations

from typing import Any

from .between import come_between


def install() -> None:
    """Come between WeasyPrint and its columns, once; others than an article's are not touched."""
    from weasyprint.layout import block

    def make(original: Any) -> Any:
        def layout(
            context: Any, box: Any, space: Any, skip: Any, around: Any, *rest: Any, **more: Any
        ) -> Any:
            if not _is_at_top(box, around):
                return original(context, box, space, skip, around, *rest, **more)
            whole = box.style
            box.style = whole.copy()
            box.style["margin_top"] = whole["margin_top"]._replace(value=0)
            try:
                return original(context, box, space, skip, around, *rest, **more)
            finally:
                box.style = whole

        return layout

    come_between(block, "block_level_layout", make)


def _is_at_top(box: Any, around: Any) -> bool:
    """Tell whether a block is the first of a column of an article's body."""
    if not getattr(around, "is_column", False) or around.element is None:
        return False
    if around.element.get("class") != "body" or box.style["margin_top"] == "auto":
        return False
    return bool(box.position_y - around.content_box_y() < 0.1)
