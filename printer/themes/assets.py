"""What WeasyPrint may load: the prepared pictures, and nothing else."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from ..output import Picture

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher

SCHEME = "asset:"

#: Pictures inside a prepared drawing; they were made by us and are kept small.
INLINE = ("data:image/png;base64,", "data:image/jpeg;base64,")


@dataclass(frozen=True, slots=True)
class Assets:
    """Prepared pictures by address; identical bytes have one address and are embedded once."""

    pictures: Mapping[str, Picture] = field(default_factory=dict)

    @classmethod
    def of(cls, pictures: Iterable[Picture]) -> Assets:
        """Collect pictures."""
        return cls({asset_url(picture): picture for picture in pictures})


def asset_url(picture: Picture) -> str:
    """Return the address under which WeasyPrint finds a picture."""
    kind = picture.media_type.rpartition("/")[2].partition("+")[0]
    return f"{SCHEME}{sha256(picture.data).hexdigest()[:32]}.{kind}"


def fetcher(assets: Assets) -> URLFetcher:
    """Return a fetcher that knows the assets and refuses every other address."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class AssetFetcher(URLFetcher):  # type: ignore[misc]
        """Serve assets from memory; open nothing."""

        def __init__(self) -> None:
            # The parent's handlers for http, ftp, file and data are not even made.
            self._fail_on_errors = False

        def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> URLFetcherResponse:
            del headers
            picture = assets.pictures.get(url)
            if picture is not None:
                kind = {"Content-Type": picture.media_type}
                return URLFetcherResponse(url, picture.data, kind)
            for prefix in INLINE:
                if url.startswith(prefix):
                    return URLFetcherResponse(
                        url, _decode(url[len(prefix) :]), {"Content-Type": prefix[5:-8]}
                    )
            raise ValueError(f"not a part of the document: {url[:80]}")

        def open(self, url: object, data: object = None, timeout: object = None) -> object:
            del data, timeout
            return self.fetch(str(getattr(url, "full_url", url)))

    return AssetFetcher()


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("broken data: address") from error
