"""Serial numbers and their ledger: listed by entry, or by unit with the entries of each; both alphabetical."""

from collections.abc import Iterator

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route
from katana_sandbox.operations.create import checked
from katana_sandbox.operations.list import computed_page
from katana_sandbox.operations.query import list_query
from katana_sandbox.rules.serial_assignment import assign, unassign
from katana_sandbox.rules.serials import ENTRIES, SERIALS, wire_entry
from katana_sandbox.wire.encoding import Record, array, encode


def _entries(ctx: Context) -> Iterator[Record]:
    store = ctx.db.stores[ENTRIES]
    entries = [store.record(slot) for slot in store.by_created]
    found = [wire_entry(ctx, entry) for entry in entries if not entry.get("production_id")]
    yield from sorted(found, key=lambda entry: str(entry["serial_number"]))


def _units(ctx: Context) -> Iterator[Record]:
    store = ctx.db.stores[SERIALS]
    for unit in sorted((store.record(slot) for slot in store.by_created), key=lambda unit: str(unit["serial_number"])):
        entries = ctx.children(ENTRIES, "serial_number_id", unit["id"])
        counted = [entry for entry in entries if entry["transaction_date"] is not None]
        yield {
            "id": unit["id"],
            "serial_number": unit["serial_number"],
            "in_stock": sum(entry["quantity_change"] for entry in counted) > 0,
            "transactions": [_transaction(entry) for entry in entries],
        }


def _transaction(entry: Record) -> Record:
    names = ("id", "resource_id", "resource_type", "transaction_date", "quantity_change")
    return {name: entry[name] for name in names}


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    return computed_page(list_query(call, collection, ctx.switches), _entries(ctx))


def _list_units(ctx: Context, _collection: Collection, _call: Call) -> Reply:
    return Reply(200, b'{"data":' + array([encode(unit) for unit in _units(ctx)]) + b"}")


def _assign(ctx: Context, _collection: Collection, call: Call) -> Reply:
    """Without a kind of document nothing is done, and nothing said."""
    body = checked("POST /serial_numbers", call.body())
    return Reply(200, encode(assign(ctx, body))) if "resource_type" in body else Reply(204)


def _unassign(ctx: Context, _collection: Collection, call: Call) -> Reply:
    unassign(ctx, checked("DELETE /serial_numbers", call.body()))
    return Reply(204)


SERIAL_NUMBERS = Collection(
    name="serial_numbers",
    computed=_entries,
    routes=(
        Route("GET", "/serial_numbers", _list),
        Route("POST", "/serial_numbers", _assign),
        Route("DELETE", "/serial_numbers", _unassign),
    ),
)
SERIAL_NUMBERS_STOCK = Collection(
    name="serial_numbers_stock",
    entity="serial number",
    computed=_units,
    routes=(
        Route("GET", "/serial_numbers_stock", _list_units),
        Route("GET", "/serial_numbers/serial_numbers_stock", _list_units),
    ),
)
SERIAL_UNITS = Collection(name=SERIALS, entity="serial number", foreign_keys=("code",), stamps=("created_at",))
SERIAL_ENTRIES = Collection(
    name=ENTRIES,
    entity="serial number transaction",
    key="uuid",
    soft_delete=False,
    foreign_keys=("serial_number_id", "resource"),
    stamps=("created_at",),
)
