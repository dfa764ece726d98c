"""What a count is planned from: the stocktake with its rows, the stock and batches of the place, what moved since."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Selection
from cache_core.records import Record, canonical
from katana_client.errors import KatanaError
from katana_client.page import Page
from katana_mcp.documents.gathering import Asked, references, rows_now
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stocktakes.counting.request import CountStockRequest
from katana_mcp.entities.stocktakes.counting.table import CountLine, Line, read_table
from katana_mcp.entities.stocktakes.rows import ROWS
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.resolve import as_they_are_now, live_record, one_record, read_anew, unasked
from katana_mcp.references.services import Services, current
from katana_mcp.references.wording import given_or_next
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import get_bool, get_int, number

STOCKTAKE, ADJUSTMENT = "stocktake", "stock_adjustment"
READS = (STOCKTAKE, ROWS, ADJUSTMENT, "location", *VARIANT_ENTITIES, *FACTORY)
PREFIX = "STK-"
BUSY = "status_update_in_progress"
_ITEMS = (("product", "product_id"), ("material", "material_id"))
_MOST, _APART = 10_000, 5
_PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each further look at a stocktake whose status Katana is working on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a count, and what was said of it.

    Attributes:
        lines: of the table and of the list, as they were read.
        heading: the first line of the table, where it names columns.
        scope: the variants that are to be counted; None where only those that were.
        stock: the level of each variant there.
        is_whole: whether all levels of the place were read.
        batches: of goods with batches, wherever there is some of each.
        moved: what moved there since counting began, by variant.
        most: rows that one plan may hold.
        most_writes: requests that one plan may hold.
        adjustment: what the stocktake has booked, where that is to be deleted.
    """

    lines: Sequence[Line] = ()
    heading: str | None = None
    scope: Sequence[int] | None = None
    stock: Mapping[int, Record] = field(default_factory=dict[int, Record])
    is_whole: bool = True
    batches: Sequence[Record] = ()
    moved: Mapping[int, Decimal] = field(default_factory=dict[int, Decimal])
    most: int = 0
    most_writes: int = 0
    adjustment: Record | None = None


def place_of(facts: Facts) -> Place:
    """Return the place of a count."""
    return facts.own if isinstance(facts.own, Place) else Place()


async def gather(request: CountStockRequest, services: Services) -> Facts:
    """Return it; changes nothing.

    Raises:
        Refused: the stocktake is not there, or Katana does not say what is in stock.
    """
    await read_anew(services, services.anew)
    await current(services, READS, ("location",))
    facts = await _stocktake(request, services)
    if request.delete:
        return await _to_delete(facts, services)
    asked: list[Asked] = [] if request.location_id is None else [("location", request.location_id)]
    if facts.record is not None:
        asked.append(("location", get_int(facts.record, "location_id") or 0))
    lines, heading = _lines(request)
    counted = [line.sku_or_variant_id for line in lines if isinstance(line, CountLine)]
    asked += [("variant", reference) for reference in (*counted, *(request.skus_or_variant_ids or ()))]
    facts = replace(facts, references=await references(services, asked), days=services.days)
    at = location_of(request, facts)
    found = Place(lines=lines, heading=heading, most=services.most_lines, most_writes=services.most_writes)
    if at is None:
        return replace(facts, own=found)
    return await _at(replace(facts, own=await _stock(found, at, services)), request, at, services)


def location_of(request: CountStockRequest, facts: Facts) -> int | None:
    """Return the id of the location: that of the stocktake, or the one that is named."""
    if facts.record is not None:
        return get_int(facts.record, "location_id")
    named = facts.one("location", request.location_id)
    return None if named is None else named.id


async def _stocktake(request: CountStockRequest, services: Services) -> Facts:
    if request.stocktake_id is None:
        number = request.stocktake_number
        return Facts(numbered=await given_or_next(services, STOCKTAKE, number, "stocktake_number", PREFIX))
    stored = await one_record(services, STOCKTAKE, request.stocktake_id, "stocktake number")
    stored = await live_record(services, STOCKTAKE, stored)
    for pause in _PAUSES:
        if not get_bool(stored.record, BUSY):
            break
        await services.clock.sleep(pause)
        stored = await live_record(services, STOCKTAKE, stored)
    key = get_int(stored.record, "id") or 0
    held = await rows_now(services, ROWS, ("stocktake_id", key), stocktake_ids=[key])
    return Facts(record=stored.record, deleted=stored.deleted, beside={ROWS: held}, days=services.days)


async def _to_delete(facts: Facts, services: Services) -> Facts:
    """Return the facts with the adjustment that the stocktake has made, as it is now."""
    key = get_int(facts.record or {}, "stock_adjustment_id")
    if key is None:
        return facts
    await as_they_are_now(services, ADJUSTMENT, [key])
    found = (await services.cache.get_many(ADJUSTMENT, [key])).rows
    live = next((row.record for row in found if not row.deleted), None)
    return replace(facts, own=Place(adjustment=live))


def _lines(request: CountStockRequest) -> tuple[list[Line], str | None]:
    lines, heading = ([], None) if request.table is None else read_table(request.table)
    for nr, count in enumerate(request.counts):
        path = f"counts[{nr}]"
        lines.append(CountLine(path, path, count.sku_or_variant_id, count.quantity, count.batch))
    return lines, heading


async def _stock(place: Place, at: int, services: Services) -> Place:
    read, is_whole = await _asked([services.client.inventory.pages(location_id=at)], "what is in stock there")
    levels = {key: row for row in read if (key := get_int(row, "variant_id")) is not None}
    return replace(place, stock=levels, is_whole=is_whole)


async def _at(facts: Facts, request: CountStockRequest, at: int, services: Services) -> Facts:
    """Return the facts with what is to be counted, the names and batches of all that, and what moved."""
    place = place_of(facts)
    scope = await _scope(request, facts, services)
    there = [key for key, level in place.stock.items() if number(level, "quantity_in_stock")]
    held = [get_int(row, "variant_id") or 0 for row in facts.beside.get(ROWS, ())]
    named = [
        one.id for (entity, _), reference in facts.references.items() if entity == "variant" for one in reference.found
    ]
    mine = list(dict.fromkeys([*named, *held, *(scope or ())]))
    names = await look_up(services.cache, {"variant": [*mine, *there], "factory": []})
    tracked = [key for key in mine if is_marked(names, key, "batch_tracked")]
    levels = {key: {at: number(level, "quantity_in_stock") or Decimal(0)} for key, level in place.stock.items()}
    own = replace(
        place, scope=scope, batches=await _batches(tracked, services), moved=await _moved(facts, at, services)
    )
    return replace(facts, own=own, names=names, levels={key: levels.get(key, {}) for key in (*mine, *there)})


def is_marked(names: Names, variant: int, flag: str) -> bool:
    """Return whether the item of a variant is marked so."""
    return bool(get_bool(names.item(names.record("variant", variant)) or {}, flag))


async def _scope(request: CountStockRequest, facts: Facts, services: Services) -> list[int] | None:
    """Return the variants that are to be counted, whether or not they were; None where nothing says which."""
    there = [key for key, level in place_of(facts).stock.items() if number(level, "quantity_in_stock")]
    named = [facts.one("variant", reference) for reference in request.skus_or_variant_ids or ()]
    scope = [record.id for record in named if record is not None]
    if request.category is not None:
        theirs = await _of_category(request.category, services)
        scope += [key for key in there if key in theirs]
    if request.skus_or_variant_ids or request.category is not None:
        return list(dict.fromkeys(scope))
    is_said = bool(request.table or request.counts)
    return None if is_said or request.stocktake_id is not None else sorted(there)


async def _of_category(category: str, services: Services) -> frozenset[int]:
    found: set[int] = set()
    for entity, path in _ITEMS:
        where = (OneOf("category_name", (category,)),)
        items = await services.cache.select(entity, Selection(where, Order("id"), _MOST))
        mine = (OneOf(path, tuple(item.id for item in items)),)
        every = await services.cache.select("variant", Selection(mine, Order("id"), _MOST)) if items else ()
        found.update(int(row.id) for row in every)
    return frozenset(found)


async def _batches(tracked: Sequence[int], services: Services) -> Sequence[Record]:
    """Return the batches of these variants at every location, with those that are used up."""
    if not tracked:
        return ()
    listing = services.client.batch_stocks
    apart: Sequence[int | None] = tracked if len(tracked) <= _APART else [None]
    pages = [listing.pages(variant_id=variant_id, include_empty=True) for variant_id in apart]
    read, _ = await _asked(pages, "which batches there are")
    return [row for row in read if get_int(row, "variant_id") in set(tracked)]


async def _moved(facts: Facts, at: int, services: Services) -> Mapping[int, Decimal]:
    """Return what Katana's ledger has noted at the place since counting began."""
    began = text(facts.record or {}, "started_date")
    if began is None or (facts.record or {}).get("status") == "COMPLETED":
        return {}
    ledger = services.client.inventory_movements
    read, _ = await _asked([ledger.pages(location_id=at, created_at_min=began)], "what moved since counting began")
    moved: dict[int, Decimal] = {}
    for row in read:
        key = get_int(row, "variant_id") or 0
        moved[key] = moved.get(key, Decimal(0)) + (number(row, "quantity_change") or Decimal(0))
    return {key: change for key, change in moved.items() if change}


async def _asked(listings: Iterable[AsyncIterator[Page[Any]]], what: str) -> tuple[list[Record], bool]:
    """Return the rows of listings, and whether these are all: more than so many are not read."""
    found: list[Record] = []
    try:
        for listing in listings:
            async for page in listing:
                found += [canonical(record) for record in page.valid_records]
                if len(found) >= _MOST_READ and not page.is_last:
                    return found, False
    except KatanaError as error:
        raise Refused(unasked(what)) from error
    return found, True


_MOST_READ = 5_000
