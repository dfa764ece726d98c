"""Bin locations as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class StorageBin(ReadModel):
    """A bin of a location."""

    id: int | None = None
    name: str | None = None
    bin_name: str | None = None
    location_id: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
