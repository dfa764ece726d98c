"""Serial numbers of a resource, as entries of their ledger.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from collections.abc import AsyncIterator
from typing import Annotated, Literal, Never

from pydantic import Field

from katana_client.answers import answered
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.listing import Listing
from katana_client.models.serial_numbers import AssignedSerialNumbers, SerialNumber
from katana_client.models.serial_numbers_stock import SerialNumberStock
from katana_client.page import Page, Shape
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class SerialNumbersCreate(WriteModel):
    """`CreateSerialNumbersRequest` of the facts."""

    resource_id: Ref
    resource_type: Omittable[
        Literal[
            "ManufacturingOrder",
            "Production",
            "StockAdjustmentRow",
            "StockTransferRow",
            "PurchaseOrderRow",
            "SalesOrderRow",
        ]
    ] = None
    serial_numbers: Omittable[list[str]] = None


class DeleteSerialNumbers(WriteModel):
    """`DeleteSerialNumbersRequest` of the facts."""

    resource_type: Literal[
        "ManufacturingOrder",
        "Production",
        "StockAdjustmentRow",
        "StockTransferRow",
        "PurchaseOrderRow",
        "SalesOrderRow",
        "SalesOrderFulfillmentRow",
    ]
    resource_id: Ref
    ids: Annotated[list[Ref], Field(min_length=1)]


class SerialNumbers(Resource[SerialNumber, Never, Never]):
    """`/serial_numbers`."""

    spec = spec_of("serial_numbers", SerialNumber)

    async def assign(self, body: SerialNumbersCreate) -> AssignedSerialNumbers:
        """Assign serial numbers to a resource."""
        return await answered(self.sender, Call("POST", "/serial_numbers", (), body.wire()), AssignedSerialNumbers)

    async def unassign(self, body: DeleteSerialNumbers) -> None:
        """Take serial numbers from a resource."""
        await self.sender.send(Call("DELETE", "/serial_numbers", (), body.wire()))

    def stock(self) -> AsyncIterator[Page[SerialNumberStock]]:
        """Yield pages of serial numbers with their stock."""
        return Listing(self.sender, "/serial_numbers/serial_numbers_stock", Shape(SerialNumberStock), {}).pages()
