"""Operations of manufacturing orders, a collection of their own (facts 3.6); gone with their order."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

MANUFACTURING_ORDER_OPERATION_ROW = EntitySpec(
    name="manufacturing_order_operation_row",
    collection="manufacturing_order_operation_rows",
    searchable=Searchable(
        names=("operation_name", "resource_name"),
        extras=("assigned_operators[].name", "completed_by_operators[].name"),
    ),
    inherits=(Lookup("manufacturing_order_id", "manufacturing_order", ()),),
    fresh_for=timedelta(seconds=30),
)
