"""Rows of transfers between bins.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated

from pydantic import Field

from katana_client.collection import spec_of
from katana_client.models.bin_transfer_rows import BinTransferRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class BinTransferTraceability(WriteModel):
    """`BinTransferTraceabilityRequest` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    serial_number_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class BinTransferRowCreate(WriteModel):
    """`CreateBinTransferRowRequest` of the facts."""

    bin_transfer_id: Ref
    variant_id: Ref
    quantity: TextAmount
    source_bin_location_id: Ref | None = None
    target_bin_location_id: Ref | None = None
    traceability: Omittable[list[BinTransferTraceability]] = None


class BinTransferRowUpdate(WriteModel):
    """`UpdateBinTransferRowRequest` of the facts."""

    variant_id: Omittable[Ref] = None
    quantity: Omittable[TextAmount] = None
    source_bin_location_id: Ref | None = None
    target_bin_location_id: Ref | None = None
    traceability: Omittable[list[BinTransferTraceability]] = None


class BinTransferRows(Resource[BinTransferRow, BinTransferRowCreate, BinTransferRowUpdate]):
    """`/bin_transfer_rows`."""

    spec = spec_of("bin_transfer_rows", BinTransferRow, create=BinTransferRowCreate, update=BinTransferRowUpdate)
