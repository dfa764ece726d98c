"""Additional costs of purchase orders, such as shipping and customs (facts 3.4, 4.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class PurchaseOrderAdditionalCostRowCreate(WriteModel):
    """A new cost, in the order's currency; its group never changes. BY_VALUE spreads it over the rows."""

    additional_cost_id: Ref
    group_id: Ref
    tax_rate_id: Ref
    price: Annotated[Decimal, Field(ge=0, le=100000000000000000)]
    distribution_method: Omittable[Literal["BY_VALUE", "NON_DISTRIBUTED"]] = None
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None


class PurchaseOrderAdditionalCostRowUpdate(WriteModel):
    """`UpdatePurchaseOrderAdditionalCostRowRequest` of the facts."""

    additional_cost_id: Omittable[Ref] = None
    tax_rate_id: Omittable[Ref] = None
    price: Omittable[Annotated[Decimal, Field(ge=0, le=100000000000000000)]] = None
    distribution_method: Omittable[Literal["BY_VALUE", "NON_DISTRIBUTED"]] = None
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None


class PurchaseOrderAdditionalCostRows(
    Resource[PurchaseOrderAdditionalCostRow, PurchaseOrderAdditionalCostRowCreate, PurchaseOrderAdditionalCostRowUpdate]
):
    """`/po_additional_cost_rows`."""

    spec = spec_of(
        "po_additional_cost_rows",
        PurchaseOrderAdditionalCostRow,
        create=PurchaseOrderAdditionalCostRowCreate,
        update=PurchaseOrderAdditionalCostRowUpdate,
    )
