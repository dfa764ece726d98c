"""Prices of variants in price lists (facts 3.2, 4.2); no delta."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from katana_client.bulk import AnsweredBulk
from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.price_list_rows import PriceListRow
from katana_client.wire import Omittable, Ref, WriteModel

type Adjustment = Literal["fixed", "percentage", "markup"]
"""Write: what `amount` means."""


class NewPriceListRow(WriteModel):
    """A variant's price in a list."""

    variant_id: Ref
    adjustment_method: Adjustment
    amount: Decimal


class PriceListRowsCreate(WriteModel):
    """New rows of one list."""

    price_list_id: Ref
    price_list_rows: Annotated[list[NewPriceListRow], Field(min_length=1)]


class PriceListRowUpdate(WriteModel):
    """A change of a row; it stays in its list."""

    variant_id: Omittable[Ref] = None
    adjustment_method: Omittable[Adjustment] = None
    amount: Omittable[Annotated[Decimal, Field(gt=0)]] = None


class PriceListRows(AnsweredBulk[PriceListRow, PriceListRowsCreate, PriceListRowUpdate]):
    """`/price_list_rows`."""

    spec = Spec(
        name="price_list_rows",
        model=PriceListRow,
        bulk=PriceListRowsCreate,
        update=PriceListRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(repeated=("ids", "variant_ids", "price_list_ids")),
    )
