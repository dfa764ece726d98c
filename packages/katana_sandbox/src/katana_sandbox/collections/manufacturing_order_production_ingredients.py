"""What a production consumed and what its operations took: shown inside it, hardly writable."""

from katana_sandbox.descriptor import Collection, Context, View, plain_fields
from katana_sandbox.rules.items import is_tracked
from katana_sandbox.rules.manufacturing_productions import update_ingredient
from katana_sandbox.rules.manufacturing_settle import settle_changed_ingredient
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import encode, rows
from katana_sandbox.wire.numbers import as_decimal, shortest


def _parts(ctx: Context, key: Key, _view: View) -> dict[str, bytes]:
    """The batches that a tracked ingredient was taken from, and what was of none."""
    used = ctx.get("manufacturing_order_production_ingredients", key, deleted=True) or {}
    if not is_tracked(ctx, used.get("variant_id"), ("batch_tracked",)):
        return {}
    taken = [(batch.get("batch_id"), as_decimal(batch.get("quantity"))) for batch in rows(used, "batch_transactions")]
    rest = as_decimal(used.get("quantity")) - sum(amount for _, amount in taken)
    found = [*taken, *([(None, rest)] if rest > 0 else [])]
    return {"traceability": encode([{"batch_id": batch, "quantity": shortest(amount)} for batch, amount in found])}


MANUFACTURING_ORDER_PRODUCTION_INGREDIENTS = Collection(
    name="manufacturing_order_production_ingredients",
    entity="production ingredient",
    fields=plain_fields(
        "location_id variant_id manufacturing_order_id manufacturing_order_recipe_row_id production_id"
        " quantity production_date cost=0 batch_transactions=[]"
    ),
    foreign_keys=("production_id", "manufacturing_order_id", "variant_id"),
    references={"production_id": "manufacturing_order_productions"},
    parts=_parts,
    hidden=frozenset({"batch_transactions"}),
    parent=("production_id", "manufacturing_order_productions"),
    on_update=update_ingredient,
    settle=settle_changed_ingredient,
)
MANUFACTURING_ORDER_PRODUCTION_OPERATIONS = Collection(
    name="manufacturing_order_production_operations",
    entity="production operation",
    fields=plain_fields(
        "location_id manufacturing_order_id manufacturing_order_operation_id production_id time production_date cost=0"
    ),
    foreign_keys=("production_id", "manufacturing_order_id"),
    references={"production_id": "manufacturing_order_productions"},
    parent=("production_id", "manufacturing_order_productions"),
)
