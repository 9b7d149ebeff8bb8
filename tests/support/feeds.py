"""Text for invented articles, and feeds of every kind that list them."""

import json
import random
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

WORDS = """
harbour ferry tide quay lantern winter council repair market baker bridge river school choir garden
library tram engine storm anchor rope sail gull mayor budget vote street clock tower square bread
oven flour summer letter archive map coast island cliff
""".split()


def prose(seed, paragraphs=5):
    """Return paragraphs that are the same for the same seed and differ for any other."""
    chance = random.Random(seed)
    texts = []
    for _ in range(paragraphs):
        sentences = []
        for _ in range(chance.randint(3, 5)):
            words = chance.choices(WORDS, k=chance.randint(9, 16))
            sentences.append(f"The {' '.join(words[:6])} of the {' '.join(words[6:])}.")
        texts.append(" ".join(sentences))
    return texts


def body(seed, paragraphs=5, extra=""):
    return "".join(f"<p>{text}</p>" for text in prose(seed, paragraphs)) + extra


def page(title, seed="", extra="", head=""):
    return (
        f"<!doctype html><html lang=en><head><title>{escape(title)}</title>{head}</head><body>"
        f"<nav><a href=/>Home</a> <a href=/news>News</a></nav>"
        f"<article><h1>{escape(title)}</h1>{body(seed or title, extra=extra)}</article>"
        "</body></html>"
    )


def rss(name, entries):
    items = "".join(
        f"<item><title>{escape(title)}</title><link>{escape(url)}</link>"
        f"<pubDate>{format_datetime(when)}</pubDate></item>"
        for title, url, when in entries
    )
    return f"<rss version='2.0'><channel><title>{name}</title>{items}</channel></rss>"


def atom(name, entries, updated=None):
    items = "".join(
        f"<entry><title>{escape(title)}</title><link href='{escape(url)}'/>"
        f"<published>{when.isoformat()}</published>"
        f"<updated>{((updated or {}).get(title) or when).isoformat()}</updated></entry>"
        for title, url, when in entries
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>{name}</title>{items}</feed>"


def rdf(name, entries):
    """Return an RDF feed with a common error: unescaped ampersands."""
    items = "".join(
        f"<item><title>{title} & more</title><link>{url}?a=1&b=2</link>"
        f"<dc:date>{when.isoformat()}</dc:date></item>"
        for title, url, when in entries
    )
    return (
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
        " xmlns='http://purl.org/rss/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
        f"<channel><title>{name}</title></channel>{items}</rdf:RDF>"
    )


def json_feed(name, entries):
    items = [
        {"id": url, "url": url, "title": title, "date_published": when.isoformat()}
        for title, url, when in entries
    ]
    return json.dumps({
        "version": "https://jsonfeed.org/version/1.1", "title": name, "items": items,
    })  # fmt: skip


def moment(day, hour, minute=0):
    """Return a time in a week of January; days are counted from 1."""
    return datetime(2026, 1, 10 + day, hour, minute, tzinfo=UTC)
