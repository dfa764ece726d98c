"""Rows of transfers between bins.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.bin_transfer_rows import BinTransferRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, TextAmount, WriteModel


class BinTransferTraceability(WriteModel):
    """`BinTransferTraceabilityRequest` of the facts."""

    batch_id: int | None = None
    serial_number_id: int | None = None
    quantity: Omittable[TextAmount] = None


class BinTransferRowCreate(WriteModel):
    """`CreateBinTransferRowRequest` of the facts."""

    bin_transfer_id: int
    variant_id: int
    quantity: TextAmount
    source_bin_location_id: int | None = None
    target_bin_location_id: int | None = None
    traceability: Omittable[list[BinTransferTraceability]] = None


class BinTransferRowUpdate(WriteModel):
    """`UpdateBinTransferRowRequest` of the facts."""

    variant_id: Omittable[int] = None
    quantity: Omittable[TextAmount] = None
    source_bin_location_id: int | None = None
    target_bin_location_id: int | None = None
    traceability: Omittable[list[BinTransferTraceability]] = None


class BinTransferRows(Resource[BinTransferRow, BinTransferRowCreate, BinTransferRowUpdate]):
    """`/bin_transfer_rows`."""

    spec = Spec(
        name="bin_transfer_rows",
        model=BinTransferRow,
        create=BinTransferRowCreate,
        update=BinTransferRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(
                "include_deleted",
                "bin_transfer_id",
                "variant_id",
                "source_bin_location_id",
                "target_bin_location_id",
            ),
            repeated=("ids",),
        ),
    )
