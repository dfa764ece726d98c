"""GET of a collection."""

from collections.abc import Iterable, Sequence

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.query import ListQuery, list_query
from katana_sandbox.render import render
from katana_sandbox.wire.encoding import Record, array, encode
from katana_sandbox.wire.pagination import Page


def run(ctx: Context, collection: Collection, call: Call) -> Reply:
    """One page, newest first."""
    query = list_query(call, collection, ctx.switches)
    slots = ctx.db.selectors[collection.name].slots(query.selection)
    parts = [render(ctx, collection, slot, "list", query.extend) for slot in page_slots(slots, query.page)]
    return page_reply(parts, len(slots), query.page)


def page_slots(slots: Sequence[int], page: Page) -> Sequence[int]:
    """The slots of a page, newest first, of slots that are oldest first."""
    stop = max(0, len(slots) - page.offset)
    return slots[max(0, stop - page.limit) : stop][::-1]


def computed_page(query: ListQuery, records: Iterable[Record]) -> Reply:
    """A page of those records, worked out and in order, that the query's filters find."""
    conditions = query.selection.conditions
    found = [record for record in records if all(condition.matches(record) for condition in conditions)]
    part = found[query.page.offset : query.page.offset + query.page.limit]
    return page_reply([encode(record) for record in part], len(found), query.page)


def page_reply(parts: list[bytes], total: int, page: Page) -> Reply:
    """A page of encoded records in its envelope."""
    body = b'{"data":' + array(parts) + b"}"
    return Reply(200, body, {"X-Pagination": page.header(total)})
