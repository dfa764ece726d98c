"""Rows of sales returns.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.collection import Identity, Spec
from katana_client.filters import Filters
from katana_client.models.sales_return_rows import SalesReturnRow, UnassignedBatchTransaction
from katana_client.paths import record_path
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class SalesReturnRowCreate(WriteModel):
    """`CreateSalesReturnRowRequest` of the facts."""

    sales_return_id: int
    variant_id: int
    fulfillment_row_id: int
    quantity: Decimal
    restock_location_id: Omittable[int] = None
    reason_id: Omittable[int] = None


class BatchTransaction(WriteModel):
    """`BatchTransactionRequest` of the facts."""

    batch_id: int
    quantity: Decimal


class SalesReturnRowUpdate(WriteModel):
    """`UpdateSalesReturnRowRequest` of the facts."""

    quantity: Omittable[Decimal] = None
    restock_location_id: Omittable[int] = None
    reason_id: Omittable[int] = None
    batch_transactions: Omittable[Annotated[list[BatchTransaction], Field(min_length=1)]] = None


class SalesReturnRows(Resource[SalesReturnRow, SalesReturnRowCreate, SalesReturnRowUpdate]):
    """`/sales_return_rows`."""

    spec = Spec(
        name="sales_return_rows",
        model=SalesReturnRow,
        create=SalesReturnRowCreate,
        update=SalesReturnRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(
                "sales_return_id",
                "variant_id",
                "include_deleted",
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
                "restock_location_id",
                "reason_id",
                "sales_order_row_id",
            ),
            repeated=("ids",),
        ),
    )

    async def unassigned_batch_transactions(self, identity: Identity) -> tuple[UnassignedBatchTransaction, ...]:
        """Return what of a row has no batch yet."""
        return await self.read_rows(
            f"{record_path(self.spec.name, identity)}/unassigned_batch_transactions", UnassignedBatchTransaction
        )
