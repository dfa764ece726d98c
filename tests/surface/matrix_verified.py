"""The usual call of the tool that holds a supplier's document against an order, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each, live_records


def verified(tenant: Tenant) -> dict[str, Usual]:
    """Return it: one line that has come in part, at a higher price."""
    orders = [record for record in live_records(tenant, "purchase_orders") if record["status"] == "NOT_RECEIVED"]
    order, other = orders[0], orders[1]
    row = order["purchase_order_rows"][0]
    sku = next(record["sku"] for record in live_records(tenant, "variants") if record["id"] == row["variant_id"])
    line: dict[str, object] = {"sku": sku, "quantity": row["quantity"] * 0.5, "price": row["price_per_unit"] * 2}
    changes = changed_each(
        purchase_order_id=other["order_no"],
        lines=[line, line],
        kind="invoice",
        currency="XPF",
        exchange_rate=3,
        net_total="1,5",
        tax_total=1,
        total=2,
        price_tolerance=100,
        quantity_tolerance=100,
    )
    return {"verify_order_document": Usual({"purchase_order_id": order["id"], "lines": [line]}, changes)}
