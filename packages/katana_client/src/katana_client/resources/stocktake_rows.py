"""Rows of stocktakes; many are created at once.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.bulk import AnsweredBulk
from katana_client.collection import spec_of
from katana_client.models.stocktake_rows import StocktakeRow
from katana_client.wire import Omittable, Ref, WriteModel


class StocktakeLine(WriteModel):
    """`StocktakeLine` of the facts."""

    variant_id: Ref
    batch_id: Ref | None = None
    bin_location_id: Ref | None = None
    counted_quantity: Annotated[Decimal, Field(ge=0)] | None = None
    notes: str | None = None


class StocktakeRowCreate(WriteModel):
    """`CreateStocktakeRowRequest` of the facts."""

    stocktake_id: Ref
    stocktake_rows: Omittable[Annotated[list[StocktakeLine], Field(max_length=250)]] = None


class StocktakeRowUpdate(WriteModel):
    """`UpdateStocktakeRowRequest` of the facts."""

    variant_id: Omittable[Ref] = None
    batch_id: Ref | None = None
    bin_location_id: Ref | None = None
    notes: str | None = None
    counted_quantity: Annotated[Decimal, Field(ge=0)] | None = None


class StocktakeRows(AnsweredBulk[StocktakeRow, StocktakeRowCreate, StocktakeRowUpdate]):
    """`/stocktake_rows`."""

    spec = spec_of("stocktake_rows", StocktakeRow, bulk=StocktakeRowCreate, update=StocktakeRowUpdate)
