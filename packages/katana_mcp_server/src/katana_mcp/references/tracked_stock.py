"""Where the batches and the units with serial numbers of goods are, asked of Katana: they move with every document."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from cache_core.records import Record, canonical
from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.values import get_int, number

type Units = Mapping[int, Mapping[int, int | None]]
"""Units in stock at a location: the bin that each serial number lies in, None for none, by variant."""


async def units_at(place: int, variants: Sequence[int], live: LiveRead) -> Units:
    """Return the units of variants that are at a location.

    Raises:
        Refused: Katana does not say.
    """
    return {
        variant: {
            key: get_int(row, "bin_location_id")
            for row in await unit_records(place, variant, live)
            if (key := get_int(row, "serial_number_id")) is not None
        }
        for variant in variants
    }


async def unit_records(place: int, variant: int, live: LiveRead) -> list[Record]:
    """Return the stock by serial number of a variant at a location: only what is there, in the bin that it lies in.

    Raises:
        Refused: Katana does not say.
    """
    pages = live.services.client.bin_inventory.pages(granularity="SERIAL_NUMBER", variant_id=variant, location_id=place)
    read = await live.ask("serial numbers by bin", read_rows([pages]))
    sums: dict[object, Decimal] = {}
    for row in read.rows:
        unit = row.get("serial_number_id")
        sums[unit] = sums.get(unit, Decimal(0)) + (number(row, "quantity_in_stock") or 0)
    return [
        row
        for row in read.rows
        if (number(row, "quantity_in_stock") or 0) > 0 and sums[row.get("serial_number_id")] > 0
    ]


async def number_records(live: LiveRead) -> list[Record]:
    """Return every serial number, whether it is in stock, and what moved or reserves it.

    Raises:
        Refused: Katana does not say.
    """
    read = await live.ask("serial numbers", live.services.client.serial_numbers_stock.read_all())
    return [canonical(unit.model_dump()) for unit in read]


async def batch_records(variants: Iterable[int], live: LiveRead) -> list[Record]:
    """Return the batches of variants at every location, those that are used up too.

    Raises:
        Refused: Katana does not say.
    """
    listing = live.services.client.batch_stocks
    pages = [listing.pages(variant_id=variant, include_empty=True) for variant in variants]
    return list((await live.ask("batches", read_rows(pages))).rows) if pages else []
