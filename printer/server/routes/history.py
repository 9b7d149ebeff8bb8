"""The page with the history of prints, which are found, deleted and restored there."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Annotated
from urllib.parse import urlencode

from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import RedirectResponse, Response

from ...jobs.queue import DIGEST
from ..forms import WORDS
from ..history import HistoryQuery
from ..service import PrintService
from ..templating import render_page

#: The most characters of what is searched for.
MAX_WORDS_LENGTH = 400

_PAGE, _MAX_IDS, _MAX_DIGESTS = 40, 200, 5
_ID = re.compile(r"[0-9a-f]{20}")

#: A day in a query.
Day = Annotated[str, Query(pattern=r"^(\d{4}-\d{2}-\d{2})?$", description="YYYY-MM-DD")]


def day_limits(since: str, until: str) -> tuple[float | None, float | None]:
    """Return the times at which the days begin and end, in the server's time zone; raise 422."""
    try:
        first = datetime.combine(date.fromisoformat(since), datetime.min.time()) if since else None
        last = datetime.combine(date.fromisoformat(until), datetime.min.time()) if until else None
        end = last + timedelta(days=1) if last else None
        return first.timestamp() if first else None, end.timestamp() if end else None
    except (ValueError, OverflowError, OSError):
        raise HTTPException(422, "there is no such day") from None


def add_page_routes(router: APIRouter, service: PrintService) -> None:
    """Add the routes of the pages."""

    @router.get("/history")
    def show_history(
        q: Annotated[str, Query(max_length=MAX_WORDS_LENGTH)] = "",
        site: Annotated[str, Query(max_length=200)] = "",
        since: Day = "",
        until: Day = "",
        before: Annotated[int | None, Query(ge=1)] = None,
        deleted: Annotated[str, Query(max_length=5_000)] = "",
    ) -> Response:
        first, end = day_limits(since, until)
        found = service.history.find(HistoryQuery(
            words=q, site=site, since=first, until=end, before=before, limit=_PAGE,
        ))  # fmt: skip
        values = {"q": q, "site": site, "since": since, "until": until}
        filters = {name: value for name, value in values.items() if value}
        more = urlencode({**filters, "before": found.next}) if found.next else ""
        restorable = [i for i in _ids(deleted.split(",")) if service.history.is_deleted(i)]
        first_page = not filters and before is None
        digests = service.queue.list_recent(_MAX_DIGESTS, kinds=[DIGEST]) if first_page else []
        return render_page(
            "history", digests=digests, found=found, more=more, states=WORDS["states"],
            sites=service.history.sites(), restorable=restorable, values=values,
            filters=filters, later=before is not None,
            day=lambda seconds: datetime.fromtimestamp(seconds).strftime("%-d %B %Y"),
        )  # fmt: skip

    @router.post("/history/delete")
    async def delete_form(request: Request) -> Response:
        ids = await _form_ids(request)
        gone = await run_sync(service.discard, ids)
        return RedirectResponse(f"/history?{urlencode({'deleted': ','.join(gone)})}", 303)

    @router.post("/history/restore")
    async def restore_form(request: Request) -> Response:
        ids = await _form_ids(request)
        await run_sync(service.history.mark_deleted, ids, None)
        return RedirectResponse("/history", 303)


async def _form_ids(request: Request) -> list[str]:
    async with request.form(max_files=0, max_fields=_MAX_IDS + 5) as form:
        return _ids([str(value) for value in form.getlist("id")])


def _ids(texts: list[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if _ID.fullmatch(text)][:_MAX_IDS]
