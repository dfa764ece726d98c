"""Reference data that is not cached: bins and their transfers, price lists with their rows, reasons of returns."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cache_core.protocol import Search
from cache_core.records import Record, RecordId, canonical, values_at
from cache_core.search_rules import normalised, parse
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.live_reads import LiveRows, read_rows
from katana_mcp.references.services import Services
from katana_mcp.tools.answers import so_many
from katana_mcp.values import get_int, rows


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of a kind that are asked for, and how many there are of it."""

    read: LiveRows
    records: int


@dataclass(frozen=True, slots=True)
class LiveReference:
    """How a kind that is not cached is read.

    Attributes:
        subject: what Katana is asked for, in the plural.
        id: under which its ids are shown; empty where no tool takes them.
        read: reads all, or those that a query finds.
        searched: where a query looks.
        names: cache entities that its rows are named by.
        own: what is shown beside the fields of the record.
        narrower: how to ask for fewer than all of them.
    """

    subject: str
    id: str
    read: Callable[[str | None, Services], Coroutine[Any, Any, Found]]
    searched: tuple[str, ...] = ("name",)
    names: tuple[str, ...] = ()
    own: Callable[[Record, Names], dict[str, object]] = lambda record, _: {"name": text(record, "name")}
    narrower: str = "look in Katana for the others"


def _having(query: str | None, read: LiveRows, *fields: str) -> Found:
    """Return the rows of which each word of the query begins a word; all without one."""
    if query is None:
        return Found(read, len(read.rows))
    tokens = parse(query).tokens
    words = [" ".join(f" {normalised(text(row, field) or '')}" for field in fields) for row in read.rows]
    rows = [
        row
        for row, said in zip(read.rows, words, strict=True)
        if tokens and all(f" {token}" in said for token in tokens)
    ]
    return Found(LiveRows(rows, read.cut), len(read.rows))


async def _bins(query: str | None, services: Services) -> Found:
    return _having(query, await read_rows([services.client.bin_locations.pages()]), "bin_name", "name")


async def _bin_transfers(query: str | None, services: Services) -> Found:
    listing = services.client.bin_transfers
    return _having(query, await read_rows([listing.pages()]), "bin_transfer_number", "status", "additional_info")


async def _price_lists(query: str | None, services: Services) -> Found:
    return _having(query, await read_rows([services.client.price_lists.pages()]), "name")


async def _reasons(query: str | None, services: Services) -> Found:
    reasons = await services.client.sales_returns.return_reasons()
    return _having(query, LiveRows([canonical(reason.model_dump()) for reason in reasons]), "name")


async def _price_list_rows(query: str | None, services: Services) -> Found:
    """Return all rows, or those of the price lists and of the variants that the query finds."""
    lists = (await _price_lists(None, services)).read
    prices = services.client.price_list_rows
    if query is None:
        listings = [prices.pages()]
    else:
        named = [key for row in _having(query, lists, "name").read.rows if (key := get_int(row, "id"))][:_MOST_IDS]
        variants = await _variants(query, services)
        listings = [prices.pages(price_list_ids=named)] if named else []
        listings += [prices.pages(variant_ids=variants)] if variants else []
    read = await read_rows(listings)
    called = {get_int(row, "id"): text(row, "name") for row in lists.rows}
    once = {get_int(row, "id"): {**row, "price_list": called.get(get_int(row, "price_list_id"))} for row in read.rows}
    every = len(once) or (await prices.page(1, limit=1)).total_records or 0
    return Found(LiveRows(list(once.values()), read.cut), every)


_MOST_IDS = 100
"""Ids that one request is narrowed by."""


async def _variants(query: str, services: Services) -> list[RecordId]:
    """Return the variants whose SKU or name the query finds in the cache, the best first."""
    if not parse(query).tokens:
        return []
    goods = await services.cache.search("variant", Search(query, limit=_MOST_IDS))
    sold = await services.cache.search("service", Search(query, limit=_MOST_IDS))
    found = [hit.row.id for hit in goods.hits]
    found += [key for hit in sold.hits for key in values_at(hit.row.record, "variants[].id") if isinstance(key, int)]
    return found[:_MOST_IDS]


def _bin(record: Record, names: Names) -> dict[str, object]:
    name = text(record, "bin_name") or text(record, "name")
    return {"name": name, "location": names.name("location", record.get("location_id"))}


def _bin_transfer(record: Record, names: Names) -> dict[str, object]:
    moved = len(rows(record, "bin_transfer_rows"))
    return {
        "name": text(record, "bin_transfer_number"),
        "location": names.name("location", record.get("location_id")),
        "description": f"{text(record, 'status')}, {so_many(moved, 'row')}",
    }


def _price(record: Record, names: Names) -> dict[str, object]:
    variant_id = record.get("variant_id")
    return {"sku": names.sku(variant_id), "name": names.variant(variant_id)}


LIVE: Mapping[str, LiveReference] = {
    "storage_bin": LiveReference("bins", "bin_location_id", _bins, names=("location",), own=_bin),
    "bin_transfer": LiveReference(
        *("bin transfers", "bin_transfer_id", _bin_transfers),
        searched=("number", "status", "notes"),
        names=("location",),
        own=_bin_transfer,
    ),
    "price_list": LiveReference("price lists", "price_list_id", _price_lists),
    "price_list_row": LiveReference(
        *("price list rows", "", _price_list_rows),
        searched=("SKU", "name of the item", "name of the price list"),
        names=VARIANT_ENTITIES,
        own=_price,
        narrower="name a SKU or a price list in query",
    ),
    "return_reason": LiveReference("return reasons", "reason_id", _reasons),
}
"""By kind, how it is read."""


async def names_of(kind: str, rows: Sequence[Record], services: Services) -> Names:
    """Return what the rows of a kind are named by; the items of variants come along."""
    ids_by_entity = {name: [row.get(f"{name}_id") for row in rows] for name in LIVE[kind].names}
    return await look_up(services.cache, ids_by_entity, only_shown=True)
