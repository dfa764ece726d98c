"""Addresses of customers: one for billing, any number for shipping; the type never changes."""

from katana_sandbox.descriptor import Collection, Context, Field, Filter
from katana_sandbox.rules.contacts import (
    ENTITY_TYPES,
    PERSON_LINES,
    add_customer_address,
    forget_customer_address,
    lines,
)
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.schema import choice, integer, record


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    if before is not None and after is None:
        forget_customer_address(ctx, before)


CUSTOMER_ADDRESSES = Collection(
    name="customer_addresses",
    entity="customer address",
    operations=("list", "create", "update", "delete"),
    fields=(
        Field("customer_id"),
        Field("entity_type"),
        Field("default", default=False),
        *(Field(name) for name in PERSON_LINES),
    ),
    create=record(
        ("customer_id", "entity_type"),
        customer_id=integer(1),
        entity_type=choice(*ENTITY_TYPES),
        **lines(PERSON_LINES),
    ),
    update=record(**lines(PERSON_LINES, 1)),
    filters=(
        Filter("customer_ids", "int", "customer_id", many=True),
        Filter("entity_type", values=ENTITY_TYPES),
        *(Filter(name) for name in PERSON_LINES),
    ),
    foreign_keys=("customer_id",),
    references={"customer_id": "customers"},
    parent=("customer_id", "customers"),
    on_create=add_customer_address,
    settle=_settle,
)
