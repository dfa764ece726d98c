"""`list_traceability`: batches, serial numbers and bins, how much of each is in stock, and where.

Katana lists them without ids and dates of change, so they are not cached: each call asks, or is refused.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from cache_core.conditions import Below, OneOf, Where, hold
from cache_core.records import Record, RecordId, iso
from katana_mcp.references.batch_numbers import made_batches
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.live_reads import LiveRead, LiveRows, read_rows
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import (
    AtLocation,
    ExactText,
    Moment,
    Until,
    Variants,
    not_after,
    not_before,
    spelling,
    where,
)
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import ListLimit, PageNumber, Request
from katana_mcp.values import EMPTY, get_int, number
from katana_mcp.workflows.bins import bin_names
from katana_mcp.workflows.stock import places_in
from katana_mcp.workflows.variants import NotFound, Resolved, resolve

type Kind = Literal["batch", "serial_number", "bin"]

_READS = (*VARIANT_ENTITIES, "location")
_APART = 5
"""Variants up to which each is asked for by itself; of more, everything is read."""


class ListTraceabilityRequest(Request):
    """Arguments of `list_traceability`."""

    kind: Annotated[Kind, spelling(Kind)] = "batch"
    """Of what."""
    skus_or_variant_ids: Variants | None = None
    """Of these SKUs (texts) or variant ids."""
    location_id: AtLocation = None
    number: ExactText | None = None
    """The exact batch or serial number, or name of a bin."""
    expires_from: Annotated[Moment | None, not_before("expiration_date")] = None
    """Of batches."""
    expires_to: Annotated[Until | None, not_after("expiration_date")] = None
    """Of batches."""
    include_empty: bool = False
    """Also those used up."""
    limit: ListLimit = 25
    """Per page."""
    page: PageNumber = 1


class TracedStock(Answer):
    """How much of a batch is at a location or of an item in a bin, in the item's unit, or where a serial number is."""

    batch_id: int | None = None
    batch_number: str | None = None
    batch_barcode: str | None = None
    serial_number_id: int | None = None
    serial_number: str | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    location_id: int | None = None
    location: str | None = None
    bin_location_id: int | None = None
    bin: str | None = None
    quantity_in_stock: Number | None = None
    batch_created_date: str | None = None
    expiration_date: str | None = None
    expired: bool | None = None


class ListTraceabilityAnswer(Envelope):
    """The answer of `list_traceability`."""

    rows: list[TracedStock]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    not_found: list[NotFound]


async def _run(request: ListTraceabilityRequest, services: Services) -> Answer:
    live = LiveRead.begin(services)
    now = await current(services, _READS, ("variant",))
    with now.refusals():
        request, notices = await completed(request, services)
        resolved = await resolve(request.skus_or_variant_ids or (), services)
        conditions = (*_of(request, resolved), *await where(request, services))
        read = await live.ask(_SUBJECTS[request.kind], _read(request, resolved, conditions, services))
    found = sorted((row for row in read.rows if hold(conditions, row)), key=_first_to_expire)
    names = await look_up(services.cache, _named(found), only_shown=True)

    async def render(first: int, last: int) -> list[Answer]:
        return [_to_answer(row, names, services) for row in found[first:last]]

    asked = await page_of("list_traceability", request, services, render, resolved.not_found)
    shown = await render(asked.first, asked.last)
    page = paged(asked, shown, len(found), now, beside=resolved.not_found)
    page.fields.setdefault("next_actions", resolved.next_actions)
    return now.answer(
        ListTraceabilityAnswer,
        *notices,
        *resolved.warnings,
        *read.warnings("name variants or a location"),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        not_found=resolved.not_found,
        as_of=iso(services.clock.now()),
    )


_SUBJECTS: Mapping[Kind, str] = {"batch": "batches", "serial_number": "serial numbers", "bin": "bins"}


def _of(request: ListTraceabilityRequest, resolved: Resolved) -> Where:
    if request.skus_or_variant_ids is None:
        return ()
    return (OneOf("variant_id", tuple(variant.id for variant in resolved.variants)),)


async def _read(
    request: ListTraceabilityRequest, resolved: Resolved, conditions: Where, services: Services
) -> LiveRows:
    """Return what Katana holds of the variants, the location and the number asked for."""
    variants: list[RecordId | None] = [None]
    if request.skus_or_variant_ids and len(resolved.variants) <= _APART:
        variants = [variant.id for variant in resolved.variants]
    place = next((location for location in places_in(conditions) if isinstance(location, int)), None)
    asked = [(variant, place) for variant in variants]
    if request.kind == "batch":
        return await _batches(request, asked, services)
    if request.kind == "bin":
        return await _in_bins(request, asked, services)
    return await _serial_numbers(request, asked, services)


type _Asked = Sequence[tuple[RecordId | None, int | None]]
"""Variants and locations that Katana is asked for, one listing each; None stands for all."""


async def _batches(request: ListTraceabilityRequest, asked: _Asked, services: Services) -> LiveRows:
    """Return the batches in stock; where empty ones or a number are asked for, also those made from here."""
    batches, empty = services.client.batch_stocks, request.include_empty or None
    read = await read_rows(
        batches.pages(variant_id=variant, location_id=place, batch_number=request.number, include_empty=empty)
        for variant, place in asked
    )
    if not (empty or request.number):
        return read
    listed = {row.get("batch_id") for row in read.rows}
    made = [
        {**row, _QUANTITY: 0}
        for row in await made_batches(services)
        if row["batch_id"] not in {None, *listed} and request.number in {None, row.get("batch_number")}
    ]
    return LiveRows([*read.rows, *made], read.cut)


async def _in_bins(request: ListTraceabilityRequest, asked: _Asked, services: Services) -> LiveRows:
    """Return what lies in the bins, or in those of the name asked for."""
    bins = await bin_names(services, request.number)
    if not bins:
        return LiveRows([])
    ids = [None] if request.number is None else list(bins)
    stock = services.client.bin_inventory
    read = await read_rows(
        stock.pages(granularity="VARIANT", variant_id=variant, location_id=place, bin_location_id=bin_id)
        for variant, place in asked
        for bin_id in ids
    )
    rows = [row for row in read.rows if get_int(row, "bin_location_id") is not None]
    return LiveRows([_with_bin(row, bins) for row in rows if request.include_empty or number(row, _QUANTITY)], read.cut)


_QUANTITY = "quantity_in_stock"


def _with_bin(row: Record, bins: Mapping[int | None, str | None]) -> Record:
    return {**row, "bin": bins.get(get_int(row, "bin_location_id"))}


async def _serial_numbers(request: ListTraceabilityRequest, asked: _Asked, services: Services) -> LiveRows:
    """Return where serial numbers are, or the one asked for, also where it has left."""
    places, every = services.client.bin_inventory, await services.client.serial_numbers_stock.read_all()
    numbers = {unit.id: unit.serial_number for unit in every if request.number in {None, unit.serial_number}}
    if request.number is None:
        pages = [
            places.pages(granularity="SERIAL_NUMBER", variant_id=variant, location_id=place) for variant, place in asked
        ]
    else:
        pages = [places.pages(granularity="SERIAL_NUMBER", serial_number_id=key) for key in numbers]
    read = await read_rows(pages)
    placed: dict[int | None, Record] = {get_int(row, "serial_number_id"): row for row in read.rows}
    placed.pop(None, None)  # what has no serial number
    bins = (
        await bin_names(services) if any(get_int(row, "bin_location_id") is not None for row in placed.values()) else {}
    )
    rows = [
        {
            _QUANTITY: 0,
            **_with_bin(placed.get(key, EMPTY), bins),
            "serial_number_id": key,
            "serial_number": numbers[key],
        }
        for key in (numbers.keys() & placed.keys() if request.number is None else numbers)
    ]
    return LiveRows(rows, read.cut)


def _named(found: Sequence[Record]) -> dict[str, list[object]]:
    return {
        "variant": [row.get("variant_id") for row in found],
        "location": [row.get("location_id") for row in found],
    }


def _first_to_expire(row: Record) -> tuple[object, ...]:
    expires = text(row, "expiration_date")
    names = (text(row, name) for name in ("batch_number", "serial_number", "bin"))
    ids = (get_int(row, name) or 0 for name in ("variant_id", "location_id", "bin_location_id"))
    return expires is None, expires or "", next(filter(None, names), ""), *ids


def _to_answer(row: Record, names: Names, services: Services) -> Answer:
    today = services.today()
    variant_id = row.get("variant_id")
    return filled(
        TracedStock,
        row,
        sku=names.sku(variant_id),
        name=names.variant(variant_id),
        location=names.name("location", row.get("location_id")),
        expired=hold((Below("expiration_date", iso(today)),), row) or None,
    )


LIST_TRACEABILITY = ToolSpec(
    name="list_traceability",
    toolset="inventory",
    description=(
        "List batches, serial numbers, or what lies in each bin, with how much is in stock and where; first to expire "
        "first.\n\n"
        "Pass SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely — or the exact "
        "``number``. Katana is asked each time. `_from` and `_to` are inclusive; a date is a whole day."
    ),
    request=ListTraceabilityRequest,
    answer=ListTraceabilityAnswer,
    run=_run,
    reads=_READS,
)
