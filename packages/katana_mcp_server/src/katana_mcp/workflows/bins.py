"""What lies in which bin of a location: asked of Katana each time, which tells it without ids and dates of change."""

from collections.abc import Mapping, Sequence

from katana_client.errors import KatanaError
from katana_mcp.references.display_names import text
from katana_mcp.references.live_reads import LiveRead, LiveRows, read_rows
from katana_mcp.references.resolve import unasked
from katana_mcp.references.services import Services
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import get_int, number

_APART = 5
"""Variants up to which each is asked for by itself; of more, everything is read."""


class BinStock(Answer):
    """What lies in a bin, in the item's unit; without a bin: in none."""

    bin_location_id: int | None = None
    bin: str | None = None
    in_stock: Number | None = None


type Pair = tuple[int | None, int | None]
"""Variant and location."""


async def bin_names(services: Services, name: str | None = None) -> dict[int | None, str | None]:
    """Return the names of bins, all or those that have this one, by their ids."""
    read = await read_rows([services.client.bin_locations.pages(bin_name=name)])
    return {get_int(row, "id"): text(row, "bin_name") or text(row, "name") for row in read.rows}


async def bins_at(place: int, services: Services) -> tuple[str, ...]:
    """Return the names of the bins that a location has in Katana now.

    Raises:
        Refused: Katana does not say.
    """
    try:
        read = await read_rows([services.client.bin_locations.pages(location_id=place)])
    except KatanaError:
        raise Refused(unasked("which bins there are now")) from None
    return tuple(name for row in read.rows if (name := text(row, "bin_name") or text(row, "name")))


async def stock_by_bin(
    variants: Sequence[int], place: int | None, live: LiveRead
) -> tuple[Mapping[Pair, list[BinStock]], LiveRows]:
    """Return what lies in the bins of these variants by variant and location, and the rows that were read.

    Args:
        variants: their ids.
        place: the only location that is asked for; None for all.
        live: the read of the call.

    Raises:
        Refused: Katana did not answer, or not in time.
    """
    return await live.ask("stock by bin", _read(variants, place, live.services))


async def _read(
    variants: Sequence[int], place: int | None, services: Services
) -> tuple[Mapping[Pair, list[BinStock]], LiveRows]:
    if not variants:
        return {}, LiveRows([])
    names, stock = await bin_names(services), services.client.bin_inventory
    apart: Sequence[int | None] = variants if len(variants) <= _APART else [None]
    pages = [stock.pages(granularity="VARIANT", variant_id=variant, location_id=place) for variant in apart]
    read, found = await read_rows(pages), dict[Pair, list[BinStock]]()
    for row in read.rows:
        key, held = get_int(row, "bin_location_id"), number(row, "quantity_in_stock")
        if held:
            line = BinStock(bin_location_id=key, bin=names.get(key), in_stock=held)
            found.setdefault((get_int(row, "variant_id"), get_int(row, "location_id")), []).append(line)
    return found, read
