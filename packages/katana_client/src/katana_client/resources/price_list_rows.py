"""Prices of variants in price lists (facts 3.2, 4.2); no delta.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from katana_client.bulk import AnsweredBulk
from katana_client.collection import spec_of
from katana_client.models.price_list_rows import PriceListRow
from katana_client.wire import Omittable, Ref, WriteModel


class NewPriceListRow(WriteModel):
    """A part of the body below."""

    variant_id: Ref
    adjustment_method: Literal["fixed", "percentage", "markup"]
    amount: Decimal


class PriceListRowsCreate(WriteModel):
    """`CreatePriceListRowRequest` of the facts."""

    price_list_id: Ref
    price_list_rows: Annotated[list[NewPriceListRow], Field(min_length=1)]


class PriceListRowUpdate(WriteModel):
    """A change of a row; it stays in its list. `adjustment_method` says what `amount` means."""

    variant_id: Omittable[Ref] = None
    adjustment_method: Omittable[Literal["fixed", "percentage", "markup"]] = None
    amount: Omittable[Annotated[Decimal, Field(gt=0)]] = None


class PriceListRows(AnsweredBulk[PriceListRow, PriceListRowsCreate, PriceListRowUpdate]):
    """`/price_list_rows`."""

    spec = spec_of("price_list_rows", PriceListRow, bulk=PriceListRowsCreate, update=PriceListRowUpdate)
