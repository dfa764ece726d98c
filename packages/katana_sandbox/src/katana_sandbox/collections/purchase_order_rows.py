"""Rows of purchase orders; a partial receipt splits one in two."""

from katana_sandbox.descriptor import Collection, Context, Filter, View, plain_fields
from katana_sandbox.rules.purchase_edits import check_row_deletable, insert_row, update_row
from katana_sandbox.rules.purchases import settle_row
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import encode, rows


def _parts(ctx: Context, key: Key, _view: View) -> dict[str, bytes]:
    trace = rows(ctx.get("purchase_order_rows", key, deleted=True) or {}, "traceability")
    return {"traceability": encode(trace)} if trace else {}


PURCHASE_ORDER_ROWS = Collection(
    name="purchase_order_rows",
    custom_fields=("PurchaseOrderRow", "OutsourcedPurchaseOrderRow"),
    fields=plain_fields(
        "quantity variant_id tax_rate_id price_per_unit price_per_unit_in_base_currency=0"
        " purchase_uom_conversion_rate=1 purchase_uom currency conversion_rate total=0"
        " total_in_base_currency=0 conversion_date received_date arrival_date batch_transactions=[]"
        " traceability=[] purchase_order_id location_id landed_cost=0 group_id custom_fields"
    ),
    filters=(Filter("group_id", "ignored"),),
    foreign_keys=("purchase_order_id", "variant_id", "group_id"),
    references={
        "purchase_order_id": "purchase_orders",
        "variant_id": "variants",
        "tax_rate_id": "tax_rates",
        "location_id": "locations",
    },
    children=(("outsourced_purchase_order_recipe_rows", "purchase_order_row_id"),),
    parts=_parts,
    hidden=frozenset({"traceability"}),
    parent=("purchase_order_id", "purchase_orders"),
    on_create=insert_row,
    on_update=update_row,
    on_delete=check_row_deletable,
    settle=settle_row,
)
