"""What speaks against units with serial numbers that a plan moves between bins."""

from collections.abc import Iterator, Mapping

from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.workflows.bin_transfers.request import BinMove

_NAMED = 10


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
