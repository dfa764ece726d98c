"""Transfers between bins of a location.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.answers import answered
from katana_client.collection import Identity, spec_of
from katana_client.exchange import Call
from katana_client.models.bin_transfers import BinTransfer
from katana_client.paths import record_path
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class BinTransferTraceability(WriteModel):
    """`BinTransferTraceabilityRequest` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    serial_number_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class BinTransferRowCreateNested(WriteModel):
    """`BinTransferRowCreateNested` of the facts."""

    variant_id: Ref
    quantity: TextAmount
    source_bin_location_id: Ref | None = None
    target_bin_location_id: Ref | None = None
    traceability: Omittable[list[BinTransferTraceability]] = None


class BinTransferCreate(WriteModel):
    """`CreateBinTransferRequest` of the facts."""

    location_id: Ref
    bin_transfer_number: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=255)]] = None
    additional_info: str | None = None
    created_date: AwareDatetime | None = None
    bin_transfer_rows: Omittable[Annotated[list[BinTransferRowCreateNested], Field(max_length=250)]] = None


class BinTransferUpdate(WriteModel):
    """`UpdateBinTransferRequest` of the facts."""

    bin_transfer_number: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=255)]] = None
    location_id: Omittable[Ref] = None
    additional_info: str | None = None
    created_date: AwareDatetime | None = None
    departed_at: Omittable[AwareDatetime] = None
    arrived_at: Omittable[AwareDatetime] = None


class BinTransferStatusUpdate(WriteModel):
    """`UpdateBinTransferStatusRequest` of the facts."""

    status: Literal["CREATED", "IN_TRANSIT", "DONE"]


class BinTransfers(Resource[BinTransfer, BinTransferCreate, BinTransferUpdate]):
    """`/bin_transfers`."""

    spec = spec_of("bin_transfers", BinTransfer, create=BinTransferCreate, update=BinTransferUpdate)

    async def set_status(self, identity: Identity, body: BinTransferStatusUpdate) -> BinTransfer:
        """Set the status of a transfer."""
        return await answered(
            self.sender, Call("PATCH", f"{record_path(self.spec.name, identity)}/status", (), body.wire()), BinTransfer
        )
