"""Serial numbers as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class SerialNumber(ReadModel):
    """One entry of a serial number's ledger; `quantity_change` is 1, -1 or 0 (reserved)."""

    id: int | None = None
    transaction_id: str | None = None
    serial_number: str | None = None
    resource_type: str | None = None
    resource_id: int | None = None
    transaction_date: Moment = None
    quantity_change: int | None = None


class FailedSerialNumber(ReadModel):
    """A serial number that was not assigned, and why."""

    serial_number: str | None = None
    reason: str | None = None


class AssignedSerialNumbers(ReadModel):
    """What became of serial numbers that were to be assigned."""

    successful: list[SerialNumber] | None = None
    failed: list[FailedSerialNumber] | None = None
