"""Tracking as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class SerialNumber(ReadModel):
    """One entry of a serial number's ledger; `quantity_change` is 1, -1 or 0 (reserved)."""

    id: int | None = None
    transaction_id: str | None = None
    serial_number: str | None = None
    resource_type: str | None = None
    resource_id: int | None = None
    transaction_date: Moment = None
    quantity_change: int | None = None


class BatchTransaction(ReadModel):
    """How much of a row comes from a batch; a null `batch_id` is unbatched stock."""

    batch_id: int | None = None
    quantity: Amount = None


class Traceability(ReadModel):
    """The batch, bin or serial number of part of a row."""

    batch_id: int | None = None
    serial_number_id: int | None = None
    bin_location_id: int | None = None
    quantity: Amount = None
