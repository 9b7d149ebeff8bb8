"""What is kept of a print so that it can be edited: pieces, pictures and page in one file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from ..article import Article, Figure, walk
from ..capture import Capture, PageSource
from ..errors import JobsError, UsageError
from ..output import Picture
from ..site_rules.suggest import Suggestion
from ..text import clean_line
from .blocks import EditableBlock
from .codec import block_data, block_of

_VERSION = 1
_SAID = ("title", "url", "byline", "published", "site", "lead", "language", "direction")
_MOST_TITLE = 500


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person changed of a print: the whole of it, as it stands now.

    ``title`` is '' where it is left as it was; ``removed`` names blocks that are
    left out, ``restored`` those brought back that extraction had left out.
    """

    title: str = ""
    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()

    def dump(self) -> bytes:
        """Write it as it is kept."""
        data = {"title": self.title, "out": self.removed, "back": self.restored}
        return json.dumps(data).encode()

    @classmethod
    def load(cls, data: bytes | None) -> Edit:
        """Read what :meth:`dump` wrote; nothing is no change."""
        said = json.loads(data) if data else {}
        return cls(said.get("title", ""), tuple(said.get("out", ())), tuple(said.get("back", ())))

    def includes(self, piece: EditableBlock) -> bool:
        """Say whether a piece is printed."""
        return piece.id not in self.removed if piece.in_article else piece.id in self.restored


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """An article in pieces, where it came from, and its pictures as they are printed.

    ``article`` has all but the blocks.  Pictures are found by ``Figure.src``, or ``Figure.svg``.
    """

    article: Article
    blocks: tuple[EditableBlock, ...]
    capture: Capture
    pictures: Mapping[str, Picture] = field(default_factory=lambda: MappingProxyType({}))

    def update_edit(
        self, edit: Edit, *, title: str | None = None, include: Mapping[str, bool] | None = None
    ) -> Edit:
        """Return an edit with some pieces kept or left out, or another title.

        Raises :class:`UsageError` for a piece that there is not, or when nothing is left.
        """
        known = {piece.id: piece for piece in self.blocks}
        out, back = dict.fromkeys(edit.removed), dict.fromkeys(edit.restored)
        for name, kept in (include or {}).items():
            if name not in known:
                raise UsageError(f"there is no piece {name[:20]!r} of this print")
            names = back if not known[name].in_article else out
            names.pop(name, None)
            if kept is not known[name].in_article:
                names[name] = None
        words = edit.title if title is None else clean_line(title, _MOST_TITLE)
        if words == self.article.title:
            words = ""
        made = Edit(words, tuple(out), tuple(back))
        if not any(made.includes(piece) for piece in self.blocks):
            raise UsageError("nothing is left to print")
        return made

    def apply(self, edit: Edit) -> Article:
        """Return the article as it was edited."""
        blocks = tuple(piece.block for piece in self.blocks if edit.includes(piece))
        return replace(self.article, title=edit.title or self.article.title, blocks=blocks)

    def suggest_rules(self, edit: Edit) -> dict[str, Suggestion]:
        """Return, for pieces left out or brought back, the selector for a rule of the site.

        One that would touch anything else of this article is none.
        """
        changed = {
            piece.id: piece for piece in self.blocks if edit.includes(piece) is not piece.in_article
        }
        found: dict[str, Suggestion] = {}
        for name, piece in changed.items():
            alike = [
                each
                for each in piece.rules
                if all(other in changed for other in each.covers if other[0] == name[0])
            ]
            if alike:
                found[name] = max(alike, key=lambda each: len(each.covers))
        return found

    def with_pictures(self, pictures: Mapping[str, Picture]) -> Snapshot:
        """Return it with the pictures that it holds, out of these."""
        figures = (piece.block for piece in self.blocks)
        wanted = {key: pictures[key] for key in _keys(figures) if key in pictures}
        return replace(self, pictures=MappingProxyType(wanted))

    def dump(self) -> bytes:
        """Write it as one file."""
        pictures = list(self.pictures.items())
        capture = self.capture
        said: dict[str, Any] = {
            "version": _VERSION,
            "article": {
                **{name: getattr(self.article, name) for name in _SAID},
                "confidence": self.article.confidence,
                "warnings": list(self.article.warnings),
            },
            "pieces": [_piece_data(piece) for piece in self.blocks],
            "capture": {
                "url": capture.url, "requested_url": capture.source.requested_url,
                "method": capture.source.method,
                "media_type": capture.source.media_type, "charset": capture.source.charset,
                "fetched": capture.source.fetched.isoformat() if capture.source.fetched else "",
            },
            "pictures": [
                {"key": key, "type": each.media_type, "width": each.width, "height": each.height}
                for key, each in pictures
            ],
        }  # fmt: skip
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as file:
            file.writestr("base.json", json.dumps(said).encode())
            file.writestr("page", capture.body)
            for number, (_, picture) in enumerate(pictures):
                file.writestr(f"pictures/{number}", picture.data, zipfile.ZIP_STORED)
        return made.getvalue()

    @classmethod
    def load(cls, data: bytes) -> Snapshot:
        """Read what :meth:`dump` wrote; raises :class:`JobsError` for anything else."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as file:
                said = json.loads(file.read("base.json"))
                page = file.read("page")
                stored = [file.read(f"pictures/{n}") for n in range(len(said["pictures"]))]
            return cls._read(said, page, stored)
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
            raise JobsError("what was kept of the print for editing cannot be read") from error

    @classmethod
    def _read(cls, said: Any, page: bytes, stored: list[bytes]) -> Snapshot:
        if said["version"] != _VERSION:
            raise ValueError("another version")
        about, capture = said["article"], said["capture"]
        when = capture.pop("fetched")
        pictures = {
            each["key"]: Picture(data, each["type"], each["width"], each["height"])
            for each, data in zip(said["pictures"], stored, strict=True)
        }
        return cls(
            article=Article(blocks=(), **{**about, "warnings": tuple(about["warnings"])}),
            blocks=tuple(map(_piece, said["pieces"])),
            capture=Capture(
                page, PageSource(fetched=datetime.fromisoformat(when) if when else None, **capture)
            ),
            pictures=MappingProxyType(pictures),
        )


def _keys(blocks: Iterable[Any]) -> Iterable[str]:
    for block in walk(tuple(blocks)):
        if isinstance(block, Figure):
            yield block.svg or block.src


def _piece_data(piece: EditableBlock) -> dict[str, Any]:
    rules = [[each.selector, list(each.covers), each.count] for each in piece.rules]
    return {
        "id": piece.id,
        "kept": piece.in_article,
        "block": block_data(piece.block),
        "rules": rules,
    }


def _piece(data: Any) -> EditableBlock:
    rules = (Suggestion(selector, tuple(covers), n) for selector, covers, n in data["rules"])
    return EditableBlock(data["id"], block_of(data["block"]), data["kept"], tuple(rules))
