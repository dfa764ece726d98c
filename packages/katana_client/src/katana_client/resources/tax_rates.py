"""Tax rates: list and create only (facts 3.3)."""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import DATES, Filters
from katana_client.models.tax_rates import TaxRate
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


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
