"""Variant bin locations as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class VariantBinLocation(ReadModel):
    """The default bin of a variant."""

    id: int | None = None
    bin_name: str | None = None
    variant_id: int | None = None
    storage_bin_id: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
