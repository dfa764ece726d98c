"""Counts of stock.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Literal

from pydantic import AwareDatetime

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.stocktakes import Stocktake
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class StocktakeCreateStocktakeRow(WriteModel):
    """A part of the body below."""

    variant_id: Omittable[int] = None
    batch_id: Omittable[int] = None
    counted_quantity: Omittable[Decimal] = None


class StocktakeCreate(WriteModel):
    """`CreateStocktakeRequest` of the facts."""

    stocktake_number: str
    location_id: int
    reason: Omittable[str] = None
    additional_info: Omittable[str] = None
    created_date: Omittable[AwareDatetime] = None
    set_remaining_items_as_counted: Omittable[bool] = None
    stocktake_rows: Omittable[list[StocktakeCreateStocktakeRow]] = None


class StocktakeUpdate(WriteModel):
    """`UpdateStocktakeRequest` of the facts."""

    stocktake_number: Omittable[str] = None
    location_id: Omittable[int] = None
    reason: Omittable[str] = None
    status: Omittable[Literal["NOT_STARTED", "IN_PROGRESS", "COUNTED", "COMPLETED"]] = None
    additional_info: Omittable[str] = None
    created_date: Omittable[AwareDatetime] = None
    completed_date: Omittable[AwareDatetime] = None
    set_remaining_items_as_counted: Omittable[bool] = None


class Stocktakes(Resource[Stocktake, StocktakeCreate, StocktakeUpdate]):
    """`/stocktakes`."""

    spec = Spec(
        name="stocktakes",
        model=Stocktake,
        create=StocktakeCreate,
        update=StocktakeUpdate,
        deletes=True,
        gets="ids",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                "location_id",
                "status",
                "stocktake_number",
                "stock_adjustment_id",
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
                "include_deleted",
            ),
            repeated=("ids",),
        ),
    )
