"""Transfers between bins of a location.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.answers import answered
from katana_client.collection import Identity, Spec
from katana_client.exchange import Call
from katana_client.filters import Filters
from katana_client.models.bin_transfers import BinTransfer
from katana_client.paths import record_path
from katana_client.resource import Resource
from katana_client.wire import Omittable, TextAmount, WriteModel


class BinTransferTraceability(WriteModel):
    """`BinTransferTraceabilityRequest` of the facts."""

    batch_id: int | None = None
    serial_number_id: int | None = None
    quantity: Omittable[TextAmount] = None


class BinTransferRowCreateNested(WriteModel):
    """`BinTransferRowCreateNested` of the facts."""

    variant_id: int
    quantity: TextAmount
    source_bin_location_id: int | None = None
    target_bin_location_id: int | None = None
    traceability: Omittable[list[BinTransferTraceability]] = None


class BinTransferCreate(WriteModel):
    """`CreateBinTransferRequest` of the facts."""

    location_id: int
    bin_transfer_number: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=255)]] = None
    additional_info: str | None = None
    created_date: Omittable[AwareDatetime] = None
    bin_transfer_rows: Omittable[Annotated[list[BinTransferRowCreateNested], Field(max_length=250)]] = None


class BinTransferUpdate(WriteModel):
    """`UpdateBinTransferRequest` of the facts."""

    bin_transfer_number: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=255)]] = None
    location_id: Omittable[int] = None
    additional_info: str | None = None
    created_date: AwareDatetime | None = None
    departed_at: AwareDatetime | None = None
    arrived_at: AwareDatetime | None = None


class BinTransferStatusUpdate(WriteModel):
    """`UpdateBinTransferStatusRequest` of the facts."""

    status: Literal["CREATED", "IN_TRANSIT", "DONE"]


class BinTransfers(Resource[BinTransfer, BinTransferCreate, BinTransferUpdate]):
    """`/bin_transfers`."""

    spec = Spec(
        name="bin_transfers",
        model=BinTransfer,
        create=BinTransferCreate,
        update=BinTransferUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                "include_deleted",
                "bin_transfer_number",
                "location_id",
                "status",
            ),
            repeated=("ids",),
        ),
    )

    async def set_status(self, identity: Identity, wanted: BinTransferStatusUpdate) -> BinTransfer:
        """Set the status of a transfer."""
        return await answered(
            self.sender,
            Call("PATCH", f"{record_path(self.spec.name, identity)}/status", (), wanted.wire()),
            BinTransfer,
        )
