"""A page that tests can adapt to their needs."""

SENTENCE = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it. "


def story_page(title="Harbour lights go dark", extra=""):
    paragraphs = "".join(f"<p>{SENTENCE * 3}It was day {n}.</p>" for n in range(6))
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body>"
        f"<nav><a href=/>Home</a> <a href=/news>News</a></nav>"
        f"<article><h1>{title}</h1>{paragraphs}{extra}</article></body></html>"
    )
