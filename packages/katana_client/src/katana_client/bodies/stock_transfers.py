"""Fields of bodies of `stock_transfers` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from pydantic import AwareDatetime

from katana_client.wire import Omittable, Ref, WriteModel


class StockTransferCreateBody(WriteModel):
    """What `CreateStockTransferRequest` has of the facts alone."""

    source_location_id: Ref
    target_location_id: Ref
    transfer_date: Omittable[AwareDatetime] = None


class StockTransferUpdateBody(WriteModel):
    """What `UpdateStockTransferRequest` has of the facts alone."""

    stock_transfer_number: Omittable[str] = None
    transfer_date: Omittable[AwareDatetime] = None
