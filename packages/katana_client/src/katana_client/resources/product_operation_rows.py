"""Operations of products, copied into their manufacturing orders (facts 3.2, 4.7)."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.bulk import SilentBulk
from katana_client.collection import Spec
from katana_client.exchange import Call
from katana_client.filters import DATES, Filters
from katana_client.models.product_operation_rows import ProductOperationRow
from katana_client.resources.manufacturing_order_operation_rows import OperationType
from katana_client.wire import Omittable, Ref, WriteModel

RERANK = "/product_operation_rerank"
type Label = Annotated[str, StringConstraints(min_length=1, max_length=256)]
"""Write: 1 to 256 characters."""
type Seconds = Annotated[int, Field(ge=0, le=2_147_483_647)]
"""Write: whole seconds."""
type Cost = Annotated[Decimal, Field(ge=0)]
"""Write: a cost, or a cost per hour, by the type of the operation."""


class ProductOperationRowUpdate(WriteModel):
    """A change of an operation, for every variant that the row applies to.

    Operation and resource are given by id, or by a name, which is made when unknown; beside an id the name is ignored.
    So ids are not copied, nor are the older names of fields: each would win over what is given anew.
    """

    not_copied = frozenset({"operation_id", "resource_id", "cost_per_hour", "planned_time_per_unit"})

    operation_id: Omittable[Ref] = None
    operation_name: Omittable[Label] = None
    type: Omittable[OperationType] = None
    resource_id: Omittable[Ref] = None
    resource_name: Omittable[Label] = None
    cost_per_hour: Omittable[Cost] = None
    cost_parameter: Omittable[Cost] = None
    planned_time_per_unit: Omittable[Seconds] = None
    planned_time_parameter: Omittable[Seconds] = None


class NewProductOperationRow(ProductOperationRowUpdate):
    """A new operation of a product variant."""

    product_variant_id: Ref


class ProductOperationRowsCreate(WriteModel):
    """1 to 150 new operations. `keep_current_rows=False` first deletes all operations of their products."""

    rows: Annotated[list[NewProductOperationRow], Field(min_length=1, max_length=150)]
    keep_current_rows: Omittable[bool] = None


class Rerank(WriteModel):
    """Where an operation goes: behind `preceding_product_operation_id`, or first without one.

    `should_group` joins it with the operation that follows.
    """

    rank_product_operation_id: Ref
    preceding_product_operation_id: Omittable[Ref] = None
    should_group: Omittable[bool] = None


class ProductOperationRows(SilentBulk[ProductOperationRow, ProductOperationRowsCreate, ProductOperationRowUpdate]):
    """`/product_operation_rows` and `/product_operation_rerank`; `get` goes through the listing."""

    spec = Spec(
        name="product_operation_rows",
        model=ProductOperationRow,
        bulk=ProductOperationRowsCreate,
        update=ProductOperationRowUpdate,
        deletes=True,
        gets="product_operation_row_id",
        key=("product_operation_row_id", "product_variant_id"),
        filters=Filters(
            single=(
                *DATES,
                "product_id",
                "product_operation_row_id",
                "product_variant_id",
                "operation_id",
                "operation_name",
                "resource_id",
                "resource_name",
            )
        ),
    )

    async def rerank(self, wanted: Rerank) -> None:
        """Move an operation. Katana answers without the new order: list it afterwards.

        Raises:
            OutcomeUnknown: The operation may or may not have moved.
        """
        await self.sender.send(self.reranking(wanted))

    def reranking(self, wanted: Rerank) -> Call:
        """Return the call that `rerank` sends."""
        return Call("POST", RERANK, (), wanted.wire())
