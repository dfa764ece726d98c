"""Operations of products, copied into their manufacturing orders (facts 3.2, 4.7)."""

from katana_client.bodies.product_operation_rows import (
    NewProductOperationRow,
    ProductOperationRowsCreate,
    ProductOperationRowUpdate,
    Rerank,
)
from katana_client.bulk import SilentBulk
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.product_operation_rows import ProductOperationRow

__all__ = (
    "NewProductOperationRow",
    "ProductOperationRowUpdate",
    "ProductOperationRows",
    "ProductOperationRowsCreate",
    "Rerank",
)
RERANK = "/product_operation_rerank"


class ProductOperationRows(SilentBulk[ProductOperationRow, ProductOperationRowsCreate, ProductOperationRowUpdate]):
    """`/product_operation_rows` and `/product_operation_rerank`; `get` goes through the listing."""

    spec = spec_of(
        "product_operation_rows",
        ProductOperationRow,
        update=ProductOperationRowUpdate,
        bulk=ProductOperationRowsCreate,
        key=("product_operation_row_id", "product_variant_id"),
    )

    async def rerank(self, body: Rerank) -> None:
        """Move an operation. Katana answers without the new order: list it afterwards.

        Raises:
            OutcomeUnknown: The operation may or may not have moved.
        """
        await self.sender.send(self.reranking(body))

    def reranking(self, body: Rerank) -> Call:
        """Return the call that `rerank` sends."""
        return Call("POST", RERANK, (), body.wire())
