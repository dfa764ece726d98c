"""Traceability of document rows: which batches and serial numbers a quantity is made of."""

from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.serials import ASSIGNED, UNKNOWN, units_of
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number, shortest


def trace_entries(given: list[Record]) -> list[Record]:
    """Traceability in read form: every id present, quantities as text, one unit for a serial."""
    entries: list[Record] = []
    for entry in given:
        serial = entry.get("serial_number_id")
        entries.append(
            {
                "batch_id": entry.get("batch_id"),
                "bin_location_id": entry.get("bin_location_id"),
                "serial_number_id": serial,
                "quantity": "1" if serial is not None else shortest(entry.get("quantity", 1)),
            }
        )
    return entries


def traced_units(ctx: Context, variant_id: object, trace: list[Record]) -> list[int]:
    """The serial numbers that a row's traceability names.

    Raises:
        Refused: 422 when batches and serial numbers are mixed, one is named twice, or one is not of the variant.
    """
    given = [part["serial_number_id"] for part in trace if part.get("serial_number_id") is not None]
    if given and any(part.get("batch_id") is not None for part in trace):
        raise unprocessable("a row is traced by batches or by serial numbers, not by both")
    if len(set(given)) != len(given):
        raise unprocessable(ASSIGNED)
    units = units_of(ctx, variant_id, given)
    if len(units) != len(given):
        raise unprocessable(UNKNOWN)
    return units


def traced_batches(given: Record) -> list[Record]:
    """The batches of a row: from its traceability, which wins, or as given."""
    trace = cast("list[Record] | None", given.get("traceability"))
    if trace is None:
        return cast("list[Record]", given.get("batch_transactions") or [])
    return [
        {"batch_id": part.get("batch_id"), "quantity": number(as_decimal(part.get("quantity")))}
        for part in trace
        if part.get("serial_number_id") is None
    ]


def check_unit_count(units: list[int], quantity: Decimal, *, exact: bool) -> None:
    """Refuse serial numbers that are not as many as the quantity; unless `exact`, fewer will do."""
    if units and (len(units) != abs(quantity) if exact else len(units) > quantity):
        raise unprocessable(
            f"sum of serial number quantity (current: {len(units)}) must match "
            f"row quantity (expected: {shortest(abs(quantity))})"
        )
