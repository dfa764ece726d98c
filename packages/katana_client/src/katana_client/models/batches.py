"""Batches as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class Batch(ReadModel):
    """A batch of a variant."""

    id: int | None = None
    batch_number: str | None = None
    expiration_date: Moment = None
    batch_created_date: Moment = None
    variant_id: int | None = None
    batch_barcode: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
