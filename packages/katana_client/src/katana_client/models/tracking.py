"""Tracking as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, ReadModel


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
