"""Tax rates: list and create only (facts 3.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.tax_rates import TaxRate
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class TaxRateCreate(WriteModel):
    """`CreateTaxRateRequest` of the facts."""

    rate: Annotated[Decimal, Field(ge=0, le=Decimal("999.999"))]
    name: Omittable[str] = None


class TaxRates(Resource[TaxRate, TaxRateCreate, Never]):
    """`/tax_rates`."""

    spec = Spec(
        name="tax_rates",
        model=TaxRate,
        create=TaxRateCreate,
        gets="ids",
        filters=Filters(
            single=(
                "rate",
                "name",
                "is_default_sales",
                "is_default_purchases",
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
            ),
            repeated=("ids",),
        ),
    )
