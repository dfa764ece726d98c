"""What a production consumed and what its operations took: shown inside it, hardly writable."""

from katana_sandbox.descriptor import Collection, plain_fields
from katana_sandbox.rules.manufacturing_productions import update_ingredient
from katana_sandbox.rules.manufacturing_settle import settle_changed_ingredient

MANUFACTURING_ORDER_PRODUCTION_INGREDIENTS = Collection(
    name="manufacturing_order_production_ingredients",
    entity="production ingredient",
    fields=plain_fields(
        "location_id variant_id manufacturing_order_id manufacturing_order_recipe_row_id production_id"
        " quantity production_date cost=0 batch_transactions=[]"
    ),
    foreign_keys=("production_id", "manufacturing_order_id", "variant_id"),
    references={"production_id": "manufacturing_order_productions"},
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
