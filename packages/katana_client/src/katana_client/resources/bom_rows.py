"""BOM rows: what a product variant is made of (facts 3.2). Their ids are UUIDs."""

from collections.abc import Sequence

from katana_client.bodies.bom_rows import BomRowCreate, BomRowUpdate
from katana_client.collection import spec_of
from katana_client.errors import InvalidRequest
from katana_client.exchange import Call
from katana_client.models.bom_rows import BomRow
from katana_client.resource import Resource

__all__ = ("BomRowCreate", "BomRowUpdate", "BomRows")
MAX_BATCH = 250


class BomRows(Resource[BomRow, BomRowCreate, BomRowUpdate]):
    """`/bom_rows`; `get` goes through the listing."""

    spec = spec_of("bom_rows", BomRow, BomRowCreate, BomRowUpdate)

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
