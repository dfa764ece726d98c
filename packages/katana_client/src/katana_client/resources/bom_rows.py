"""BOM rows: what a product variant is made of (facts 3.2). Their ids are UUIDs."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import Spec
from katana_client.errors import InvalidRequest
from katana_client.exchange import Call
from katana_client.filters import DATES, Filters
from katana_client.models.bom_rows import BomRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, Quantity, Ref, WriteModel

type Notes = Annotated[str, StringConstraints(max_length=255)]
"""Write: at most 255 characters."""
MAX_BATCH = 250


class BomRowCreate(WriteModel):
    """A new ingredient; `product_item_id` is the product of `product_variant_id`."""

    product_variant_id: Ref
    product_item_id: Ref
    ingredient_variant_id: Ref
    quantity: Quantity | None = None
    notes: Notes | None = None


class BomRowUpdate(WriteModel):
    """A change of an ingredient."""

    ingredient_variant_id: Omittable[Ref] = None
    quantity: Quantity | None = None
    notes: Notes | None = None


class BomRows(Resource[BomRow, BomRowCreate, BomRowUpdate]):
    """`/bom_rows`; `get` goes through the listing."""

    spec = Spec(
        name="bom_rows",
        model=BomRow,
        create=BomRowCreate,
        update=BomRowUpdate,
        deletes=True,
        gets="id",
        uuid=True,
        filters=Filters(single=(*DATES, "id", "product_variant_id", "product_item_id", "ingredient_variant_id")),
    )

    async def create_many(self, rows: Sequence[BomRowCreate]) -> None:
        """Create 1 to 250 rows in one call. Katana answers without ids: list them afterwards.

        Raises:
            InvalidRequest: No row, or more than 250.
            OutcomeUnknown: The rows may or may not exist.
        """
        if not 1 <= len(rows) <= MAX_BATCH:
            message = f"a batch has 1 to {MAX_BATCH} BOM rows"
            raise InvalidRequest(message)
        await self.sender.send(
            Call("POST", f"{self.spec.path}/batch/create", (), {"data": [row.wire() for row in rows]})
        )
