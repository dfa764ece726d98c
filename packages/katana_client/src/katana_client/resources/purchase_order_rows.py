"""Rows of purchase orders (facts 3.4, 4.3). `tax_rate` (percent, with `tax_name`) travels as text.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.resource import Resource
from katana_client.wire import FreeFields, Omittable, Ref, TextAmount, WriteModel


class PurchaseOrderRowCreate(WriteModel):
    """A new row of an order that is not wholly received, with a location of its own if wanted."""

    purchase_order_id: Ref
    quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))]
    variant_id: Ref
    price_per_unit: Annotated[Decimal, Field(ge=0, le=100000000000000000)]
    custom_fields: FreeFields | None = None
    tax_rate_id: Omittable[Ref] = None
    tax_name: Omittable[str] = None
    tax_rate: Omittable[TextAmount] = None
    currency: Omittable[Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]] = None
    purchase_uom_conversion_rate: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))] | None = None
    purchase_uom: Annotated[str, StringConstraints(min_length=1, max_length=7)] | None = None
    arrival_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None


class PurchaseOrderRowUpdate(WriteModel):
    """A change of a row. Before it is received all but `received_date`, afterwards `received_date` alone."""

    not_copied = frozenset({"received_date"})

    custom_fields: FreeFields | None = None
    quantity: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))]] = None
    variant_id: Omittable[Ref] = None
    tax_rate_id: Omittable[Ref] = None
    tax_name: Omittable[str] = None
    tax_rate: Omittable[TextAmount] = None
    price_per_unit: Omittable[Annotated[Decimal, Field(ge=0, le=100000000000000000)]] = None
    purchase_uom_conversion_rate: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))] | None = None
    purchase_uom: Annotated[str, StringConstraints(min_length=1, max_length=7)] | None = None
    received_date: Omittable[AwareDatetime] = None
    arrival_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None


class PurchaseOrderRows(Resource[PurchaseOrderRow, PurchaseOrderRowCreate, PurchaseOrderRowUpdate]):
    """`/purchase_order_rows`."""

    spec = spec_of(
        "purchase_order_rows", PurchaseOrderRow, create=PurchaseOrderRowCreate, update=PurchaseOrderRowUpdate
    )
