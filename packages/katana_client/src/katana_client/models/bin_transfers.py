"""Bin transfers as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.bin_transfer_rows import BinTransferRow
from katana_client.wire import Moment, ReadModel


class BinTransfer(ReadModel):
    """A transfer between bins of a location."""

    id: int | None = None
    bin_transfer_number: str | None = None
    location_id: int | None = None
    status: str | None = None
    created_date: Moment = None
    departed_at: Moment = None
    arrived_at: Moment = None
    additional_info: str | None = None
    bin_transfer_rows: list[BinTransferRow] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
