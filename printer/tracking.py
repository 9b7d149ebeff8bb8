"""What campaigns and networks add to an address to know who followed it."""

from __future__ import annotations

import re

_TRACKING = re.compile(
    r"(?:utm_\w+|fb(?:clid|_\w+)|[gdt]clid|gclsrc|wbraid|gbraid|msclkid|yclid|twclid|ttclid|igshid?"
    r"|mc_[ce]id|_hs(?:enc|mi)|hsctatracking|mkt_tok|vero_\w+|oly_(?:anon|enc)_id|wickedid"
    r"|_openstat|s_cid|ns_\w+|at_(?:medium|campaign|custom\d|link\w*)|cmpid|icid|ncid|sr_share"
    r"|pk_\w+|mtm_\w+|piwik_\w+|matomo_\w+|_ga|_gl|guce_\w+|trk\w*|spm|share_id|ref_(?:src|url))",
    re.IGNORECASE,
)


def is_tracking(name: str) -> bool:
    """Tell whether a parameter of a query only follows the reader about."""
    return _TRACKING.fullmatch(name) is not None


def without_tracking(query: str) -> str:
    """Return a query without the parameters that only follow the reader about."""
    return "&".join(pair for pair in query.split("&") if not is_tracking(pair.partition("=")[0]))
