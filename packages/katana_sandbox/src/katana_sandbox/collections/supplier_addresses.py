"""Addresses of suppliers: one each, which is the default."""

from katana_sandbox.descriptor import Collection, Context, Field
from katana_sandbox.rules.contacts import ADDRESS_LINES, add_supplier_address, forget_supplier_address
from katana_sandbox.wire.encoding import Record


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    if before is not None and after is None:
        forget_supplier_address(ctx, before)


SUPPLIER_ADDRESSES = Collection(
    name="supplier_addresses",
    entity="supplier address",
    fields=(
        Field("supplier_id"),
        *(Field(name) for name in ADDRESS_LINES),
    ),
    foreign_keys=("supplier_id",),
    references={"supplier_id": "suppliers"},
    parent=("supplier_id", "suppliers"),
    on_create=add_supplier_address,
    settle=_settle,
)
