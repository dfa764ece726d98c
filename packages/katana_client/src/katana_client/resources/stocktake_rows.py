"""Rows of stocktakes; many are created at once.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.bulk import AnsweredBulk
from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.stocktake_rows import StocktakeRow
from katana_client.wire import Omittable, WriteModel


class StocktakeRowCreateStocktakeRow(WriteModel):
    """A part of the body below."""

    variant_id: int
    batch_id: int | None = None
    notes: Annotated[str, StringConstraints(max_length=540)] | None = None
    counted_quantity: Annotated[Decimal, Field(ge=0)] | None = None


class StocktakeRowCreate(WriteModel):
    """`CreateStocktakeRowRequest` of the facts."""

    stocktake_id: int
    stocktake_rows: Omittable[Annotated[list[StocktakeRowCreateStocktakeRow], Field(max_length=250)]] = None


class StocktakeRowUpdate(WriteModel):
    """`UpdateStocktakeRowRequest` of the facts."""

    variant_id: Omittable[int] = None
    batch_id: int | None = None
    bin_location_id: int | None = None
    notes: Annotated[str, StringConstraints(max_length=540)] | None = None
    counted_quantity: Annotated[Decimal, Field(ge=0)] | None = None


class StocktakeRows(AnsweredBulk[StocktakeRow, StocktakeRowCreate, StocktakeRowUpdate]):
    """`/stocktake_rows`."""

    spec = Spec(
        name="stocktake_rows",
        model=StocktakeRow,
        bulk=StocktakeRowCreate,
        update=StocktakeRowUpdate,
        deletes=True,
        gets="ids",
        filters=Filters(
            single=(
                "variant_id",
                "batch_id",
                "bin_location_id",
                "stock_adjustment_id",
                "include_deleted",
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
            ),
            repeated=(
                "ids",
                "stocktake_ids",
            ),
        ),
    )
