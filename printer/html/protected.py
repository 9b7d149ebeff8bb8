"""Mail addresses that a page keeps from harvesters and shows by a script.

A well-known service puts "[email protected]" in an address's place and the address in an attribute:
its first byte in hexadecimal is the key that each of the others is combined with (exclusive or).
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

EMAIL_ATTRIBUTE = "data-cfemail"
_PROTECTED = "/cdn-cgi/l/email-protection"
#: An address in hexadecimal, after its key; none is longer than 254 characters.
_HEX = re.compile(r"(?:[0-9a-f]{2}){4,255}", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"[^\s<>@\"]{1,64}@[^\s<>@\"]{1,253}")


def decode_emails(tree: HtmlElement) -> None:
    """Write the addresses where the page's script would."""
    for element in tree.iter():
        address = _address(element.get(EMAIL_ATTRIBUTE) or "")
        if not address or len(element):
            continue
        element.text = address
        above = element.getparent()
        link = element if element.tag == "a" or above is None else above
        if link.tag == "a" and (link is element or _PROTECTED in (link.get("href") or "")):
            link.set("href", f"mailto:{address}")


def _address(told: str) -> str:
    if not _HEX.fullmatch(told):
        return ""
    key, *signs = bytes.fromhex(told)
    address = bytes(sign ^ key for sign in signs).decode("utf-8", "replace")
    return address if _ADDRESS.fullmatch(address) and address.isprintable() else ""
