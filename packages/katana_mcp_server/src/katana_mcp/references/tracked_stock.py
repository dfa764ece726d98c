"""Where the batches and the units with serial numbers of goods are, asked of Katana: they move with every document."""

from collections.abc import Iterable, Mapping, Sequence

from cache_core.records import Record
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
    """Return the stock by serial number of a variant at a location: only what is there.

    Raises:
        Refused: Katana does not say.
    """
    pages = live.services.client.bin_inventory.pages(granularity="SERIAL_NUMBER", variant_id=variant, location_id=place)
    read = await live.ask("serial numbers by bin", read_rows([pages]))
    return [row for row in read.rows if (number(row, "quantity_in_stock") or 0) > 0]


async def batch_records(variants: Iterable[int], live: LiveRead) -> list[Record]:
    """Return the batches of variants at every location, those that are used up too.

    Raises:
        Refused: Katana does not say.
    """
    listing = live.services.client.batch_stocks
    pages = [listing.pages(variant_id=variant, include_empty=True) for variant in variants]
    return list((await live.ask("batches", read_rows(pages))).rows) if pages else []
