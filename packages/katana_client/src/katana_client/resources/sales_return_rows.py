"""Rows of sales returns.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.collection import Identity, spec_of
from katana_client.models.sales_return_rows import SalesReturnRow, UnassignedBatchTransaction
from katana_client.paths import record_path
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class SalesReturnRowCreate(WriteModel):
    """`CreateSalesReturnRowRequest` of the facts."""

    sales_return_id: Annotated[int, Field(ge=0)]
    variant_id: Annotated[int, Field(ge=0)]
    fulfillment_row_id: Annotated[int, Field(ge=0)]
    quantity: TextAmount
    restock_location_id: Omittable[Ref] = None
    reason_id: Ref | None = None


class BatchTransaction(WriteModel):
    """`BatchTransactionRequest` of the facts."""

    batch_id: Ref
    quantity: Decimal


class SalesReturnRowUpdate(WriteModel):
    """`UpdateSalesReturnRowRequest` of the facts."""

    quantity: Omittable[TextAmount] = None
    restock_location_id: Omittable[Ref] = None
    reason_id: Ref | None = None
    batch_transactions: Omittable[Annotated[list[BatchTransaction], Field(min_length=1)]] = None


class SalesReturnRows(Resource[SalesReturnRow, SalesReturnRowCreate, SalesReturnRowUpdate]):
    """`/sales_return_rows`."""

    spec = spec_of("sales_return_rows", SalesReturnRow, create=SalesReturnRowCreate, update=SalesReturnRowUpdate)

    async def unassigned_batch_transactions(self, identity: Identity) -> tuple[UnassignedBatchTransaction, ...]:
        """Return what of a row has no batch yet."""
        return await self.read_rows(
            f"{record_path(self.spec.name, identity)}/unassigned_batch_transactions", UnassignedBatchTransaction
        )
