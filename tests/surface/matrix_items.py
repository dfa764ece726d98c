"""Usual calls of the tools that write items, of a product; what only services have is asked of one."""

from katana_sandbox import Tenant

from .custom import defined_field
from .usual import Changes, Usual
from .usual import changed_each as _each
from .usual import live_records as _live

_OF_SERVICES: dict[str, object] = {"sku": "REPAIR-1", "sales_price": 7.25, "default_cost": 3}


def item_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return a usual call of each, and what makes a difference."""
    first, other = [
        product for product in _live(tenant, "products") if product["is_purchasable"] and product["configs"]
    ][:2]
    service = _live(tenant, "services")[0]
    variant = first["variants"][0]
    head = _each(
        name="Repair kit",
        uom="set",
        category_name="Kits",
        is_sellable=False,
        serial_tracked=True,
        batch_tracked=True,
        operations_in_sequence=True,
        additional_info="by appointment",
    )
    unit: Changes = {
        name: {"purchase_uom": "box", "purchase_uom_conversion_rate": 7}
        for name in ("purchase_uom", "purchase_uom_conversion_rate")
    }
    new: dict[str, object] = {"type": "product", "name": "Kit", "variants": [{"sku": "KIT-1"}]}
    supplier = _live(tenant, "suppliers")[-1]["name"]
    made: dict[str, object] = {"is_producible": True, "is_auto_assembly": True}
    one: dict[str, object] = {"type": "product", "item_id": first["id"], "category_name": "usual"}
    its: dict[str, object] = {"type": "service", "item_id": service["id"]}
    of_services = {**_OF_SERVICES, "custom_fields": {defined_field(tenant, "ServiceVariant"): "red"}}
    named = _each(item_id=other["name"])
    option = first["configs"][0]
    other_type: Changes = {"type": {"type": "material"}}
    created: Changes = {
        "supplier_id": {"supplier_id": supplier, "is_purchasable": True},
        "is_producible": {"is_producible": False, "is_purchasable": True},
        "is_purchasable": {"is_purchasable": True},
        "is_auto_assembly": made,
        "variants": {"variants": [{"sku": "KIT-2"}]},
        **{name: {"type": "service", "variants": [], name: value} for name, value in of_services.items()},
    }
    modified: Changes = {
        "supplier_id": {"supplier_id": supplier},
        "is_producible": {"is_producible": True},
        "is_purchasable": {"is_producible": True, "is_purchasable": False, "supplier_id": None},
        "is_auto_assembly": made,
        "type": its,
        **{name: {**its, name: value} for name, value in of_services.items()},
    }
    changed = _each(
        is_archived=True,
        configs={option["name"]: [*option["values"], "XXXL"]},
        add_variants=[{"sku": "KIT-3", "config": {config["name"]: config["values"][0] for config in first["configs"]}}],
        update_variants=[{"variant_id": variant["id"], "sales_price": 7.25}],
        delete_variant_ids=[variant["sku"] or variant["id"]],
    )
    return {
        "create_item": Usual(new, head | unit | created | other_type),
        "modify_item": Usual(one, head | unit | named | modified | changed),
        "delete_item": Usual({"type": "product", "item_id": first["id"]}, named | other_type),
    }
