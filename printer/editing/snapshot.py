"""The snapshot of an editable print: blocks, pictures and page in one file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from ..article import Article, Figure, from_data, to_data, walk
from ..capture import Capture, PageSource
from ..errors import JobsError, UsageError
from ..output import Picture
from ..site_rules.suggest import Suggestion
from ..text import clean_line
from .blocks import EditableBlock

_VERSION = 1
#: The fields of an article and of its source in the file, where the method is called "how".
_ARTICLE = (
    "title", "url", "byline", "published", "site", "lead", "language", "direction", "confidence",
    "section",
)  # fmt: skip
_SOURCE = ("url", "requested_url", "media_type", "charset")
_MAX_TITLE = 500


@dataclass(frozen=True, slots=True)
class Edit:
    """All changes to a print: a new title ('' for none), removed blocks and restored blocks."""

    title: str = ""
    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()

    def dump(self) -> bytes:
        """Serialize the edit for storage."""
        data = {"title": self.title, "out": self.removed, "back": self.restored}
        return json.dumps(data).encode()

    @classmethod
    def load(cls, data: bytes | None) -> Edit:
        """Return the edit serialized by :meth:`dump`; None means no changes."""
        edit = json.loads(data) if data else {}
        return cls(edit.get("title", ""), tuple(edit.get("out", ())), tuple(edit.get("back", ())))

    def includes(self, block: EditableBlock) -> bool:
        """Return whether a block is printed."""
        return block.id not in self.removed if block.in_article else block.id in self.restored


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """An article as editable blocks, with its page and pictures.

    ``article`` has everything but the blocks.  Pictures are keyed by ``Figure.src``, or
    ``Figure.svg``.
    """

    article: Article
    blocks: tuple[EditableBlock, ...]
    capture: Capture
    pictures: Mapping[str, Picture] = field(default_factory=lambda: MappingProxyType({}))

    def update_edit(
        self, edit: Edit, *, title: str | None = None, include: Mapping[str, bool] | None = None
    ) -> Edit:
        """Return an edit with a new title, or with blocks included or excluded by id.

        Raises :class:`UsageError` for an unknown block, or if nothing is left to print.
        """
        blocks = {block.id: block for block in self.blocks}
        removed, restored = dict.fromkeys(edit.removed), dict.fromkeys(edit.restored)
        for name, included in (include or {}).items():
            if name not in blocks:
                raise UsageError(f"this print has no block {name[:20]!r}")
            in_article = blocks[name].in_article
            changed = removed if in_article else restored
            changed.pop(name, None)
            if included is not in_article:
                changed[name] = None
        title = edit.title if title is None else clean_line(title, _MAX_TITLE)
        if title == self.article.title:
            title = ""
        updated = Edit(title, tuple(removed), tuple(restored))
        if not any(map(updated.includes, self.blocks)):
            raise UsageError("nothing is left to print")
        return updated

    def apply(self, edit: Edit) -> Article:
        """Return the edited article."""
        blocks = tuple(block.block for block in self.blocks if edit.includes(block))
        return replace(self.article, title=edit.title or self.article.title, blocks=blocks)

    def suggest_rules(self, edit: Edit) -> dict[str, Suggestion]:
        """Return the best selector of a site rule for each changed block, by id.

        A selector that also covers an unchanged block of the same kind is not suggested.
        """
        changed = {
            block.id: block for block in self.blocks if edit.includes(block) is not block.in_article
        }
        suggested: dict[str, Suggestion] = {}
        for name, block in changed.items():
            exact = [
                rule
                for rule in block.rules
                if all(other in changed for other in rule.covers if other[0] == name[0])
            ]
            if exact:
                suggested[name] = max(exact, key=lambda rule: len(rule.covers))
        return suggested

    def with_pictures(self, pictures: Mapping[str, Picture]) -> Snapshot:
        """Return the snapshot with the pictures that its blocks use."""
        figures = (b for b in walk(tuple(b.block for b in self.blocks)) if isinstance(b, Figure))
        keys = (figure.svg or figure.src for figure in figures)
        used = {key: pictures[key] for key in keys if key in pictures}
        return replace(self, pictures=MappingProxyType(used))

    def dump(self) -> bytes:
        """Serialize the snapshot to a ZIP file."""
        source = self.capture.source
        data: dict[str, Any] = {
            "version": _VERSION,
            "article": {name: getattr(self.article, name) for name in _ARTICLE}
            | {"warnings": list(self.article.warnings)},
            "pieces": [_block_data(block) for block in self.blocks],
            "capture": {name: getattr(source, name) for name in _SOURCE}
            | {
                "how": source.method,
                "fetched": source.fetched.isoformat() if source.fetched else "",
            },
            "pictures": [
                {"key": key, "type": p.media_type, "width": p.width, "height": p.height}
                for key, p in self.pictures.items()
            ],
        }
        output = io.BytesIO()
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as file:
            file.writestr("base.json", json.dumps(data).encode())
            file.writestr("page", self.capture.body)
            for number, picture in enumerate(self.pictures.values()):
                file.writestr(f"pictures/{number}", picture.data, zipfile.ZIP_STORED)
        return output.getvalue()

    @classmethod
    def load(cls, data: bytes) -> Snapshot:
        """Return the snapshot serialized by :meth:`dump`; raise :class:`JobsError` if invalid."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as file:
                values = json.loads(file.read("base.json"))
                page = file.read("page")
                count = len(values["pictures"])
                pictures = [file.read(f"pictures/{number}") for number in range(count)]
            return cls._from_values(values, page, pictures)
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
            raise JobsError("the saved print cannot be read for editing") from error

    @classmethod
    def _from_values(cls, values: Any, page: bytes, pictures: list[bytes]) -> Snapshot:
        if values["version"] != _VERSION:
            raise ValueError("another version")
        article, source = values["article"], values["capture"]
        fetched = datetime.fromisoformat(source["fetched"]) if source["fetched"] else None
        names = {name: source[name] for name in _SOURCE}
        return cls(
            article=Article(blocks=(), **{**article, "warnings": tuple(article["warnings"])}),
            blocks=tuple(map(_block, values["pieces"])),
            capture=Capture(page, PageSource(fetched=fetched, method=source["how"], **names)),
            pictures=MappingProxyType({
                value["key"]: Picture(data, value["type"], value["width"], value["height"])
                for value, data in zip(values["pictures"], pictures, strict=True)
            }),
        )  # fmt: skip


def _block_data(block: EditableBlock) -> dict[str, Any]:
    rules = [[rule.selector, list(rule.covers), rule.count] for rule in block.rules]
    return {
        "id": block.id, "kept": block.in_article, "block": to_data(block.block), "rules": rules,
    }  # fmt: skip


def _block(data: Any) -> EditableBlock:
    rules = (Suggestion(selector, tuple(ids), n) for selector, ids, n in data["rules"])
    return EditableBlock(data["id"], from_data(data["block"]), data["kept"], tuple(rules))
