"""Counts of stock.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.stocktakes import Stocktake
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class StocktakeLine(WriteModel):
    """`StocktakeLine` of the facts."""

    variant_id: Ref
    batch_id: Ref | None = None
    bin_location_id: Ref | None = None
    counted_quantity: Annotated[Decimal, Field(ge=0)] | None = None
    notes: str | None = None


class StocktakeCreate(WriteModel):
    """`CreateStocktakeRequest` of the facts."""

    stocktake_number: Annotated[str, StringConstraints(min_length=1)]
    location_id: Ref
    reason: Omittable[Annotated[str, StringConstraints(max_length=540)]] = None
    additional_info: str | None = None
    created_date: Omittable[AwareDatetime] = None
    set_remaining_items_as_counted: Omittable[bool] = None
    stocktake_rows: Omittable[Annotated[list[StocktakeLine], Field(max_length=250)]] = None


class StocktakeUpdate(WriteModel):
    """`UpdateStocktakeRequest` of the facts."""

    stocktake_number: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    location_id: Omittable[Ref] = None
    reason: Annotated[str, StringConstraints(max_length=540)] | None = None
    status: Omittable[Literal["NOT_STARTED", "IN_PROGRESS", "COUNTED", "COMPLETED"]] = None
    additional_info: str | None = None
    created_date: Omittable[AwareDatetime] = None
    completed_date: AwareDatetime | None = None
    set_remaining_items_as_counted: Omittable[bool] = None


class Stocktakes(Resource[Stocktake, StocktakeCreate, StocktakeUpdate]):
    """`/stocktakes`."""

    spec = spec_of("stocktakes", Stocktake, create=StocktakeCreate, update=StocktakeUpdate)
