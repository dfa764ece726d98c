"""`list_traceability`: batches and serial numbers, how much of each is in stock, and where.

Katana lists them without ids and dates of change, so they are not cached: each call asks, or is refused.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Annotated, Any, Literal

from cache_core.conditions import Below, OneOf, Where, hold
from cache_core.records import Record, RecordId, canonical, iso
from katana_client.errors import KatanaError
from katana_client.page import Page
from katana_mcp.descriptor import ToolSpec
from katana_mcp.names import VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.operations.filters import (
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
from katana_mcp.operations.paging import page_of, paged
from katana_mcp.operations.partial_names import completed
from katana_mcp.operations.rows import filled
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import ListLimit, PageNumber, Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking, truncated
from katana_mcp.values import whole
from katana_mcp.workflows.variants import NotFound, Resolved, resolve

type Kind = Literal["batch", "serial_number"]

_READS = (*VARIANT_ENTITIES, "location")
_MOST = 5_000
"""Rows that are read of Katana at most."""
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
    """The exact batch or serial number."""
    expires_from: Annotated[Moment | None, not_before("expiration_date")] = None
    """Of batches."""
    expires_to: Annotated[Until | None, not_after("expiration_date")] = None
    """Of batches."""
    include_empty: bool = False
    """Also batches that are used up."""
    limit: ListLimit = 25
    """Rows per page."""
    page: PageNumber = 1
    """From 1."""


class TracedStock(Answer):
    """How much of a batch is at a location, in the item's unit, or where a serial number is."""

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
    now = await current(services, _READS, ("variant",))
    with now.refusals():
        request, notices = await completed(request, services)
        resolved = await resolve(request.skus_or_variant_ids or (), services)
        conditions = (*_of(request, resolved), *await where(request, services))
        read = await _read(request, resolved, services)
    found = sorted((row for row in read if hold(conditions, row)), key=_first_to_expire)
    names = await look_up(services.cache, _named(found))

    async def render(first: int, last: int) -> list[Answer]:
        return [_shown(row, names, services) for row in found[first:last]]

    asked = await page_of("list_traceability", request, services, render, resolved.not_found)
    shown = await render(asked.first, asked.last)
    page = paged(asked, shown, len(found), now, beside=resolved.not_found)
    page.fields.setdefault("next_actions", resolved.next_actions)
    return now.answer(
        ListTraceabilityAnswer,
        *notices,
        *resolved.warnings,
        *_cut(read),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        not_found=resolved.not_found,
        as_of=iso(services.clock.now()),
    )


def _of(request: ListTraceabilityRequest, resolved: Resolved) -> Where:
    if request.skus_or_variant_ids is None:
        return ()
    return (OneOf("variant_id", tuple(each.id for each in resolved.variants)),)


async def _read(request: ListTraceabilityRequest, resolved: Resolved, services: Services) -> list[Record]:
    """Return what Katana holds of the variants and the number asked for.

    Raises:
        Refused: Katana did not answer, or serial numbers of all there is are asked for.
    """
    variants = [each.id for each in resolved.variants] if request.skus_or_variant_ids else [None]
    if len(variants) > _APART:
        variants = [None]
    try:
        if request.kind == "serial_number":
            return await _serial_numbers(request, variants, services)
        batches, empty = services.client.batch_stocks, request.include_empty or None
        return await _rows(
            batches.pages(variant_id=each, batch_number=request.number, include_empty=empty) for each in variants
        )
    except KatanaError as error:
        message = f"Katana could not be asked for batches and serial numbers, which are not cached: {error}"
        raise Refused(blocking(warning_codes.KATANA_UNAVAILABLE, message)) from None


async def _serial_numbers(
    request: ListTraceabilityRequest, variants: Sequence[RecordId | None], services: Services
) -> list[Record]:
    """Return where the serial numbers of these variants are, or the one asked for, also where it has left.

    Raises:
        Refused: neither a variant nor a number is named.
    """
    if request.number is None and request.skus_or_variant_ids is None:
        message = (
            "Katana lists no serial numbers by place but those of a variant: name skus_or_variant_ids, or a number"
        )
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "skus_or_variant_ids"))
    places, every = services.client.bin_inventory, await services.client.serial_numbers_stock.read_all()
    numbers = {each.id: each.serial_number for each in every if request.number in {None, each.serial_number}}
    if request.number is None:
        pages = [places.pages(granularity="SERIAL_NUMBER", variant_id=each) for each in variants]
    else:
        pages = [places.pages(granularity="SERIAL_NUMBER", serial_number_id=each) for each in numbers]
    placed = {whole(row, "serial_number_id"): row for row in await _rows(pages)}
    return [
        {"quantity_in_stock": 0, **placed.get(each, {}), "serial_number_id": each, "serial_number": numbers[each]}
        for each in (numbers.keys() & placed.keys() if request.number is None else numbers)
    ]


async def _rows(listings: Iterable[AsyncIterator[Page[Any]]]) -> list[Record]:
    found: list[Record] = []
    for pages in listings:
        async for page in pages:
            found += [canonical(each) for each in page.valid_records]
            if len(found) >= _MOST:
                return found
    return found


def _named(found: Sequence[Record]) -> dict[str, list[object]]:
    return {
        "variant": [row.get("variant_id") for row in found],
        "location": [row.get("location_id") for row in found],
    }


def _first_to_expire(row: Record) -> tuple[bool, str, str]:
    expires = text(row, "expiration_date")
    return expires is None, expires or "", text(row, "batch_number") or text(row, "serial_number") or ""


def _shown(row: Record, names: Names, services: Services) -> Answer:
    today = services.days.today(services.clock.now())
    variant_id = row.get("variant_id")
    return filled(
        TracedStock,
        row,
        sku=names.sku(variant_id),
        name=names.variant(variant_id),
        location=names.name("location", row.get("location_id")),
        expired=hold((Below("expiration_date", iso(today)),), row) or None,
    )


def _cut(read: Sequence[Record]) -> list[ToolWarning]:
    if len(read) < _MOST:
        return []
    return [truncated(f"the first {len(read):,} that Katana lists were read, and there may be more: name variants")]


LIST_TRACEABILITY = ToolSpec(
    name="list_traceability",
    toolset="inventory",
    description=(
        "List batches, or serial numbers, with how much of each is in stock and where; first to expire first.\n\n"
        "Pass SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely — or the exact "
        "``number``. Katana is asked each time. `_from` and `_to` count too; a date alone is its whole day."
    ),
    request=ListTraceabilityRequest,
    answer=ListTraceabilityAnswer,
    run=_run,
    reads=_READS,
)
