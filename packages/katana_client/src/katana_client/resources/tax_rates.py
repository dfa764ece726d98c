"""Tax rates: list and create only (facts 3.3)."""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import DATES, Filters
from katana_client.resource import Resource
from katana_client.wire import Amount, Moment, Omittable, ReadModel, WriteModel


class TaxRate(ReadModel):
    """A tax rate; `rate` in percent, `display_name` derived from rate and name."""

    id: int | None = None
    name: str | None = None
    rate: Amount = None
    is_default_sales: bool | None = None
    is_default_purchases: bool | None = None
    display_name: str | None = None
    created_at: Moment = None
    updated_at: Moment = None


class TaxRateCreate(WriteModel):
    """A new tax rate, 0 to 999.999 percent."""

    rate: Annotated[Decimal, Field(ge=0, le=Decimal("999.999"))]
    name: Omittable[str] = None


class TaxRates(Resource[TaxRate, TaxRateCreate, Never]):
    """`/tax_rates`; `get` goes through the listing."""

    spec = Spec(
        name="tax_rates",
        model=TaxRate,
        create=TaxRateCreate,
        gets="ids",
        filters=Filters(single=(*DATES, "rate", "name", "is_default_sales", "is_default_purchases"), repeated=("ids",)),
    )
