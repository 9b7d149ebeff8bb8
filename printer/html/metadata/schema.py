"""Of the things that JSON-LD describes, the one that the page is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .jsonld import Thing, string_values, type_names

_ARTICLES = frozenset({
    "Article", "NewsArticle", "BlogPosting", "Report", "ReportageNewsArticle",
    "OpinionNewsArticle", "AnalysisNewsArticle", "BackgroundNewsArticle", "AskPublicNewsArticle",
    "ReviewNewsArticle", "AdvertiserContentArticle", "SatiricalArticle", "ScholarlyArticle",
    "MedicalScholarlyArticle", "TechArticle", "APIReference", "LiveBlogPosting",
    "SocialMediaPosting", "DiscussionForumPosting",
})  # fmt: skip
_WORKS = frozenset({
    "Recipe", "HowTo", "Question", "Review", "CriticReview", "Event", "Book", "Chapter", "Poem",
    "CreativeWork", "Movie", "Course", "Dataset", "PodcastEpisode", "VideoObject", "JobPosting",
    "Product", "ProductGroup", "Thesis", "ShortStory", "Essay",
})  # fmt: skip
_PAGES = frozenset({
    "WebPage", "AboutPage", "ContactPage", "FAQPage", "ItemPage", "MedicalWebPage", "QAPage",
    "CollectionPage", "ProfilePage", "SearchResultsPage", "CheckoutPage",
})  # fmt: skip
#: Articles beyond this many, none of them said to be the page's, make a list of articles.
_FEW = 2


@dataclass(frozen=True, slots=True)
class SchemaMetadata:
    """What JSON-LD says of a page, as it stands there."""

    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    article: bool = False


def read_schema(items: Sequence[Thing], addresses: Sequence[str]) -> SchemaMetadata:
    """Read what a page's things say of it; ``addresses`` are those the page goes by."""
    by_id = {each["@id"]: each for each in reversed(items) if isinstance(each.get("@id"), str)}

    def whole(value: Any) -> Any:
        """Put the thing in the place of what refers to it."""
        if isinstance(value, list):
            return [whole(each) for each in value[:100] if not isinstance(each, list)]
        if isinstance(value, dict) and "name" not in value and "url" not in value:
            name = value.get("@id")
            return by_id.get(name, value) if isinstance(name, str) else value
        return value

    kinds = [type_names(each) for each in items]
    mine = {_address(each) for each in addresses if each}

    def of(names: frozenset[str], most: int) -> Thing | None:
        found = [each for each, kind in zip(items, kinds, strict=True) if kind & names]
        full = [each for each in found if len(each) > 2]
        for each in full:
            if _addresses(each) & mine:
                return each
        headlines = {str(each.get("headline") or each.get("name")) for each in full}
        return full[0] if full and len(headlines) <= most else None

    article, work, page = of(_ARTICLES, _FEW), of(_WORKS, _FEW), of(_PAGES, _FEW)
    main = article or work
    ours = [each for each in (article or work, page) if each is not None]
    sites = [name for each in ours for name in string_values(whole(each.get("publisher")))]
    for each, kind in zip(items, kinds, strict=True):
        if "WebSite" in kind:
            sites += string_values(each.get("name")) + string_values(each.get("alternateName"))

    def stated(read: Callable[[Thing], list[str]]) -> tuple[str, ...]:
        return next((tuple(found) for each in ours if (found := read(each))), ())

    return SchemaMetadata(
        titles=tuple(
            name
            for each in ours
            for name in string_values(each.get("headline")) or string_values(each.get("name"))
        ),
        authors=() if main is None else tuple(_authors(main, whole)),
        published=stated(lambda each: string_values(each.get("datePublished"), "@value")),
        sites=tuple(sites[:10]),
        leads=stated(lambda each: string_values(each.get("description"))),
        languages=stated(lambda each: string_values(each.get("inLanguage"))),
        images=() if main is None else tuple(string_values(whole(main.get("image")), "url")),
        article=article is not None,
    )


def _authors(item: Thing, whole: Callable[[Any], Any]) -> list[str]:
    return string_values(whole(item.get("author"))) or string_values(whole(item.get("creator")))


def _addresses(item: Thing) -> set[str]:
    stated = [item.get("url"), item.get("@id"), item.get("mainEntityOfPage")]
    found = {each for value in stated for each in string_values(value, "@id")}
    return {_address(each) for each in found} - {""}


def _address(url: str) -> str:
    """Return what is the same in the addresses of one page: host and path."""
    try:
        parts = urlsplit(url[:2000])
    except ValueError:
        return ""
    path = parts.path.rstrip("/")
    return f"{parts.netloc.removeprefix('www.')}{path}".lower() if parts.netloc and path else ""
