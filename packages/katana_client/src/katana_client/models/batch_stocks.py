"""Batch stocks as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class BatchStock(ReadModel):
    """The stock of a batch at a location."""

    batch_number: str | None = None
    expiration_date: Moment = None
    batch_created_date: Moment = None
    variant_id: int | None = None
    batch_barcode: str | None = None
    batch_id: int | None = None
    location_id: int | None = None
    quantity_in_stock: Amount = None
