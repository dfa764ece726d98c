"""Which units with serial numbers a plan moves between bins: where each of them lies, and what speaks against it."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, number
from katana_mcp.workflows.bin_transfers.request import BinMove

type Units = Mapping[int, Mapping[int, int | None]]
"""Units in stock at a location: the bin that each serial number lies in, None for none, by variant."""

_NAMED = 10


async def units_at(place: int, variants: Sequence[int], live: LiveRead) -> Units:
    """Return the units of variants that are at a location.

    Raises:
        Refused: Katana does not say.
    """
    listing, found = live.services.client.bin_inventory, dict[int, Mapping[int, int | None]]()
    for variant in variants:
        pages = listing.pages(granularity="SERIAL_NUMBER", variant_id=variant, location_id=place)
        read = await live.ask("serial numbers by bin", read_rows([pages]))
        held = [row for row in read.rows if (number(row, "quantity_in_stock") or Decimal(0)) > 0]
        found[variant] = {
            key: get_int(row, "bin_location_id")
            for row in held
            if (key := get_int(row, "serial_number_id")) is not None
        }
    return found


def against_units(
    path: str, row: BinMove, called: str, place: str, there: Mapping[int, int | None]
) -> Iterator[ToolWarning]:
    """Yield what is wrong with the serial numbers of a row by themselves: how many there are, and which are not here.

    Args:
        path: of the argument.
        row: what moves.
        called: the goods, in words.
        place: the location, in words.
        there: their units at the location.
    """
    if row.batch is not None:
        message = f"{path}: {called} are kept in batches or by serial number, never both; leave out batch"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, path)
    count = len(row.serial_number_ids)
    if count != row.quantity:
        message = f"{path}: {count} serial numbers were given for a quantity of {plain_number(row.quantity)}"
        yield blocking(warning_codes.SERIAL_COUNT_MISMATCH, message, path)
    unknown = [str(key) for key in row.serial_number_ids if key not in there]
    if unknown:
        held = f"it has {first_of([str(key) for key in sorted(there)], _NAMED)}" if there else "it has none in stock"
        message = f"{path}: {called} has no serial number {first_of(unknown, _NAMED)} at {place}; {held}"
        yield blocking(warning_codes.NOT_FOUND, message, path)


def unnamed_units(path: str, called: str) -> ToolWarning:
    """Return that goods move of which each has a serial number, and nobody says which."""
    message = f"{path}: {called} has serial numbers: without serial_number_ids nobody knows which of them moved"
    return advisory(warning_codes.SERIAL_NUMBERS_REQUIRED, message, path)
