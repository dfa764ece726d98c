"""Tax rates: list and create only (facts 3.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import spec_of
from katana_client.models.tax_rates import TaxRate
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class TaxRateCreate(WriteModel):
    """`CreateTaxRateRequest` of the facts."""

    rate: Annotated[Decimal, Field(ge=0, le=Decimal("999.999"))]
    name: Omittable[str] = None


class TaxRates(Resource[TaxRate, TaxRateCreate, Never]):
    """`/tax_rates`."""

    spec = spec_of("tax_rates", TaxRate, create=TaxRateCreate)
