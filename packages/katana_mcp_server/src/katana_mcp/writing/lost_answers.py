"""What became of an action whose answer was lost: what Katana lists now, and whether that is as planned."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Protocol, cast

from cache_core.protocol import own_write_stands
from cache_core.records import as_id, canonical, is_set, iso
from katana_client import KatanaClient
from katana_client.errors import KatanaError
from katana_client.filters import FilterValue
from katana_client.page import Page
from katana_client.wire import ReadModel
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.writing.actions import SAFE_AGAIN, Action
from katana_mcp.writing.meaning import all_same, holds, model_of


class Listing(Protocol):
    """A collection that can be listed."""

    spec: Any

    async def page(self, number: int, **filters: FilterValue) -> Page[Any]:
        """Return one page."""
        ...

    def pages(self, **filters: FilterValue) -> AsyncIterator[Page[Any]]:
        """Yield all pages."""
        ...


async def look_up_in_katana(action: Action, client: KatanaClient, why: str, *, is_said: bool = False) -> ActionState:
    """Return how an action ended whose outcome nobody saw: applied where Katana shows it, else unknown.

    Katana's listings can lag minutes behind a write, so one that does not show it proves nothing. What is deleted may
    leave no trace: where the answer was a success, a listing that counts none is believed. So is one of all that is
    live, where it leaves out a record that is old enough to be on every replica. What lies in several rows, and may
    be repeated, was done where each of them shows it.

    Args:
        action: what was sent, or may have been.
        client: reads.
        why: what is known of the failure.
        is_said: whether a status said that it was done.
    """
    look = action.recognise
    if look is None:
        message = "this action cannot be looked up in Katana"
        message = f"{message}; {SAFE_AGAIN}" if action.is_repeatable else message
        return ActionState("unknown", error=why or None, look_up={"found": message})
    filters = cast("dict[str, FilterValue]", dict(look.filters))
    listing = cast("Listing", getattr(client, look.collection))
    if action.method == "DELETE" and "include_deleted" in listing.spec.filters:
        filters["include_deleted"] = True  # what a listing leaves out may be there: only a tombstone proves a deletion
    if "include_archived" in listing.spec.filters:
        filters["include_archived"] = True  # what is archived is there all the same
    asked = f"GET /{look.collection} {', '.join(f'{name}={value}' for name, value in filters.items())}".rstrip()
    try:
        page = await listing.page(1, **filters)
    except KatanaError as error:
        return ActionState("unknown", error=why or None, look_up={"asked": asked, "error": str(error)})
    own_id = listing.spec.key[0]
    rows = [record for record in page.valid_records if record.get(own_id) not in look.besides]
    if action.answers_many:
        return _many_looked_up(action, [canonical(row) for row in rows], asked, why)
    fitting = [row for row in rows if _fits(action, canonical(row))]
    look_up = {"asked": asked, "rows": len(rows), "as_planned": len(fitting)}
    if action.is_repeatable and rows and len(fitting) == len(rows):
        return ActionState("applied", None, None, look_up)  # one row for each place: all are as planned
    is_gone = is_said and action.method == "DELETE" and page.total_records == 0
    is_gone = is_gone or (bool(look.since) and _is_left_out(action, page, client.clock.now()))
    if len(fitting) == 1 or is_gone:
        return ActionState("applied", None if action.method == "DELETE" else canonical(fitting[0]), None, look_up)
    return ActionState("unknown", None, why, look_up)


def _is_left_out(action: Action, page: Page[Any], now: datetime) -> bool:
    """Return whether a whole listing lacks what was deleted, which was made so long ago that none lags behind that."""
    made = "" if action.recognise is None else action.recognise.since
    is_whole = page.total_records == page.count == len(page.valid_records)
    is_there = any(as_id(record.get("id")) == action.record for record in page.valid_records)
    return action.method == "DELETE" and is_whole and not is_there and not own_write_stands(made, iso(now))


def _many_looked_up(action: Action, found: Sequence[JsonObject], asked: str, why: str) -> ActionState:
    """Return how an action ended that makes many records: applied where each of them is there, once."""
    (expected,) = (cast("list[JsonObject]", value) for value in action.expects.values())
    model = _looked_up_as(action)
    mine = [row for row in found if any(holds(model, record, row) for record in expected)]
    look_up = {"asked": asked, "rows": len(found), "as_planned": len(mine)}
    is_there = all_same(model, [*expected], [*mine])
    return ActionState("applied", None, None, look_up) if is_there else ActionState("unknown", None, why, look_up)


def _fits(action: Action, found: JsonObject) -> bool:
    if action.pending and found.get(action.pending) is True:
        return True
    return is_as_planned(action, found) and (action.method != "DELETE" or is_set(found, "deleted_at"))


def is_as_planned(action: Action, found: JsonObject) -> bool:
    """Return whether a record is what an action was to make of it, each field compared by what it is."""
    return holds(_looked_up_as(action), action.expects, found)


def _looked_up_as(action: Action) -> type[ReadModel]:
    """Return the declaration of what the listing that tells of an action holds."""
    return model_of(action.collection if action.recognise is None else action.recognise.collection)
