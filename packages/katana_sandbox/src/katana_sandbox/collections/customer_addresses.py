"""Addresses of customers: one for billing, any number for shipping; the type never changes."""

from katana_sandbox.descriptor import Collection, Context, Field, plain_fields
from katana_sandbox.rules.contacts import (
    PERSON_LINES,
    add_customer_address,
    forget_customer_address,
)
from katana_sandbox.wire.encoding import Record


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    if before is not None and after is None:
        forget_customer_address(ctx, before)


CUSTOMER_ADDRESSES = Collection(
    name="customer_addresses",
    entity="customer address",
    fields=(
        *plain_fields("customer_id entity_type default=false"),
        *(Field(name) for name in PERSON_LINES),
    ),
    foreign_keys=("customer_id",),
    references={"customer_id": "customers"},
    parent=("customer_id", "customers"),
    on_create=add_customer_address,
    settle=_settle,
)
