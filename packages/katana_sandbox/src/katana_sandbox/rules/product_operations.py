"""Operations of product variants: added in bulk, their deprecated names in step, moved among each other."""

from collections.abc import Mapping
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build
from katana_sandbox.rules.manufacturing_costs import cost_per_unit
from katana_sandbox.rules.manufacturing_names import resolve_names
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number

RANK_STEP = 10000
_NAME = "product_operation_rows"
_ALIASES = (("cost_parameter", "cost_per_hour"), ("planned_time_parameter", "planned_time_per_unit"))


def add_operations(ctx: Context, rows: list[Record], *, keep: bool) -> None:
    """Append operations to the variants named; without `keep` those of their products go first."""
    variants = [_product_variant(ctx, row["product_variant_id"]) for row in rows]
    if not keep:
        for product_id in dict.fromkeys(variant["product_id"] for variant in variants):
            for old in ctx.children(_NAME, "product_id", product_id):
                ctx.delete(_NAME, old["id"])
    for row, variant in zip(rows, variants, strict=True):
        if row.get("operation_id") is None and row.get("operation_name") is None:
            raise unprocessable("operation_id or operation_name is required")
        fields = build(ctx.collections[_NAME], {**row, **with_aliases(row), **resolve_names(ctx, row)})
        ranks = [as_decimal(other["rank"]) for other in ctx.children(_NAME, "product_variant_id", variant["id"])]
        fields["product_id"] = variant["product_id"]
        fields["rank"] = number(min(ranks) - RANK_STEP if ranks else Decimal(100 * RANK_STEP))
        fields["planned_cost_per_unit"] = number(cost_per_unit(fields, Decimal(1)))
        ctx.insert(_NAME, fields)


def update_operation(ctx: Context, row: Record, changes: Record) -> Record:
    """The stored changes of a PATCH."""
    changes |= with_aliases(changes) | resolve_names(ctx, changes)
    changes["planned_cost_per_unit"] = number(cost_per_unit({**row, **changes}, Decimal(1)))
    return changes


def with_aliases(body: Mapping[str, object]) -> Record:
    """Cost and time under their present and their deprecated name; the present one wins."""
    both: Record = {}
    for name, old in _ALIASES:
        if name in body or old in body:
            value = body[name] if name in body else body[old]
            both |= {name: value, old: value}
    return both


def rerank_operation(ctx: Context, body: Record) -> None:
    """Move an operation behind another of its variant, or to the front; grouping joins it to the next one."""
    moved = ctx.get(_NAME, body["rank_product_operation_id"])
    if moved is None:
        raise unprocessable("product operation row not found")
    others = [row for row in _in_order(ctx, moved["product_variant_id"]) if row["id"] != moved["id"]]
    place = 0
    preceding = body.get("preceding_product_operation_id")
    if preceding is not None:
        ids = [row["id"] for row in others]
        if preceding not in ids:
            raise unprocessable("preceding product operation row not found")
        place = ids.index(preceding) + 1
    order = [*others[:place], moved, *others[place:]]
    following = order[place + 1] if body.get("should_group") and place + 1 < len(order) else None
    group = None if following is None else following.get("group_boundary") or str(following["id"])
    for position, row in enumerate(order):
        changes: Record = {"rank": (100 - position) * RANK_STEP}
        if row["id"] == moved["id"] or (following is not None and row["id"] == following["id"]):
            changes["group_boundary"] = group
        if any(row.get(name) != value for name, value in changes.items()):
            ctx.change(_NAME, row["id"], changes)


def _in_order(ctx: Context, variant_id: object) -> list[Record]:
    return sorted(ctx.children(_NAME, "product_variant_id", variant_id), key=lambda row: -as_decimal(row["rank"]))


def _product_variant(ctx: Context, variant_id: object) -> Record:
    variant = ctx.get("variants", variant_id)
    if variant is None or variant.get("product_id") is None:
        raise unprocessable("product variant not found")
    return variant
