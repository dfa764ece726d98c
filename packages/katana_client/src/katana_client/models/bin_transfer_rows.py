"""Bin transfer rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class BinTransferTraceability(ReadModel):
    """The batch or the serial number of part of a row."""

    batch_id: int | None = None
    serial_number_id: int | None = None
    quantity: Amount = None


class BinTransferRow(ReadModel):
    """How much of a variant goes from one bin to another."""

    id: int | None = None
    bin_transfer_id: int | None = None
    location_id: int | None = None
    variant_id: int | None = None
    quantity: Amount = None
    source_bin_location_id: int | None = None
    target_bin_location_id: int | None = None
    traceability: list[BinTransferTraceability] | None = None
    created_date: Moment = None
    departed_at: Moment = None
    arrived_at: Moment = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
