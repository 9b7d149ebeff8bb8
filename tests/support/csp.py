"""Content security policies that forbid as much as possible."""

STRICT = {
    "Content-Security-Policy": "default-src 'none'; form-action 'none'; frame-ancestors 'none';"
    " base-uri 'none'; script-src 'none'; connect-src 'none'"
}
STRICT_BUT_PICTURES = {
    "Content-Security-Policy": STRICT["Content-Security-Policy"] + "; img-src 'self'"
}
