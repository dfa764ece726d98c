"""Items: the rows of their tools that plan a write, of products, and the same of materials and services."""

from collections.abc import Iterator, Mapping
from functools import partial

from katana_sandbox import Tenant

from .custom import defined_field
from .writes import Arguments, Pools, Record, Spoil, Write, gone, live

VARIANT = "variants"
PARTS: Mapping[str, str] = dict.fromkeys((VARIANT, f"add_{VARIANT}"), VARIANT)
DERIVED = frozenset(
    {
        "configs",
        "config_attributes",
        "product_id",
        "material_id",
        "type",
        "custom_fields",
        "sales_price",
        "purchase_price",
    }
)
"""Options are shown in words, and a variant without a price has 0."""
CALLED = {"default_supplier_id": "suppliers"}


def _sized(name: str, size: str) -> Record:
    pair = {"config_name": "Size", "config_value": size}
    return {"sku": f"{name}-{size}", "config_attributes": [pair], "purchase_price": 2, "lead_time": 7}


def _make(collection: str, tenant: Tenant, name: str) -> Record:
    """Put an item with two variants into the sandbox."""
    supplier = live(tenant, "suppliers")[0]["id"]
    head: Record = {"name": name, "uom": "set", "category_name": "Kits", "additional_info": "by appointment"}
    bought: Record = {"is_purchasable": True} if collection == "products" else {}
    unit: Record = {"purchase_uom": "box", "purchase_uom_conversion_rate": 12, "default_supplier_id": supplier}
    own: Record = {
        "configs": [{"name": "Size", "values": ["S", "L"]}],
        "variants": [_sized(name, "S"), _sized(name, "L")],
    }
    made = tenant.create(collection, {**head, **unit, **bought, **own})
    for variant in made["variants"]:
        tenant.edit(VARIANT, variant["id"], True, sales_price=5)
    return tenant.get(collection, made["id"])


def _new(_: Tenant, name: str, __: Record) -> Arguments:
    pair = [{"sku": f"{name}-{size}", "config": {"Size": size}, "sales_price": 12.5} for size in ("S", "L")]
    return {"name": name, "uom": "set", "variants": pair}


def _changed(_: Tenant, name: str, item: Record) -> Arguments:
    small, large = item["variants"]
    return {
        "name": f"{name}, renamed",
        "is_archived": True,
        "update_variants": [{"variant_id": small["id"], "sku": f"{name}-XS", "sales_price": 7}],
        "add_variants": [{"sku": f"{name}-M", "config": {"Size": "M"}}],
        "delete_variant_ids": [large["sku"]],
    }


_FIELDS: Arguments = {
    "sku": "OTHER-1",
    "config": {"Size": "XXL"},
    "sales_price": 1.25,
    "purchase_price": 0.75,
    "supplier_item_codes": ["S-1"],
    "internal_barcode": "in-1",
    "registered_barcode": "4006381333931",
    "lead_time": 3,
    "minimum_order_quantity": 10,
}


_LISTED: Arguments = {"supplier_item_codes[]": ["S-2"]}


def _as_rows(fields: Arguments) -> Iterator[tuple[str, Arguments]]:
    """Yield each path inside a variant with the fields that change it."""
    yield from ((path, {path.removesuffix("[]"): value}) for path, value in fields.items())


def _fields(tenant: Tenant) -> Arguments:
    return {**_FIELDS, **_LISTED, "custom_fields": {defined_field(tenant, "ProductVariant"): "red"}}


def _below_new(tenant: Tenant, _: Record) -> dict[str, Arguments]:
    usual: Arguments = {"sku": "OTHER-0", "config": {"Size": "S"}}
    fields = _fields(tenant)
    found: dict[str, Arguments] = {
        f"{VARIANT}[].{name}": {VARIANT: [{**usual, **value}]} for name, value in _as_rows(fields)
    }
    return found


def _below_changed(tenant: Tenant, item: Record) -> dict[str, Arguments]:
    small = item["variants"][0]["id"]
    usual: Arguments = {"sku": "OTHER-0", "config": {"Size": "M"}}
    fields = [*_as_rows(_fields(tenant))]
    added: dict[str, Arguments] = {
        f"add_variants[].{name}": {"add_variants": [{**usual, **value}]} for name, value in fields
    }
    changed: dict[str, Arguments] = {
        f"update_variants[].{name}": {"update_variants": [{"variant_id": small, **value}]} for name, value in fields
    }
    other = [{"variant_id": item["variants"][1]["id"], "lead_time": 3}]
    return {**added, **changed, "update_variants[].variant_id": {"update_variants": other, "delete_variant_ids": []}}


_NONE: list[object] = [{}, {"nobody's": 1}]
"""Custom fields of items that change nothing: which form takes values is a matter of the account."""


def _pools(tenant: Tenant, item: Record) -> Pools:
    suppliers = [supplier["id"] for supplier in live(tenant, "suppliers")[:3]]
    sizes: list[object] = [{"Size": size} for size in ("S", "L", "XL")]
    held: list[object] = [value for row in item.get("variants", ()) for value in (row["id"], row["sku"])]
    own: dict[str, list[object]] = {f"{name}[].config": sizes for name in (VARIANT, "add_variants", "update_variants")}
    pools: Pools = {
        "supplier_id": suppliers,
        "configs": [{"Size": ["S", "L", "XL"]}, {"Size": ["L", "S", "XL", "M"]}, {"Gears": []}],
        **own,
    }
    codes = {
        f"{name}[].supplier_item_codes": [[], ["A-1"], ["A-1", "B-2"]]
        for name in (VARIANT, "add_variants", "update_variants")
    }
    custom = dict.fromkeys([f"{name}[].custom_fields" for name in (VARIANT, "add_variants", "update_variants")], _NONE)
    named = {"update_variants[].variant_id": held, "delete_variant_ids[]": held} if held else {}
    return {**pools, **codes, **custom, **named, "custom_fields": _NONE}


def _named_alike(collection: str, tenant: Tenant, _: object, arguments: Arguments) -> None:
    tenant.create(collection, {"name": arguments["name"], "variants": [{}]})


def _numbered_alike(tenant: Tenant, _: object, arguments: Arguments) -> None:
    rows = arguments.get("variants") or arguments.get("add_variants")
    sku = rows[0]["sku"] if isinstance(rows, list) else arguments["sku"]
    tenant.create("materials", {"name": "Another", "uom": "pcs", "variants": [{"sku": sku}]})


def _did_the_same(tenant: Tenant, item: Record, _: object) -> None:
    tenant.edit(VARIANT, item["variants"][0]["id"], True, lead_time=9)


def _moved(tenant: Tenant, item: Record, _: object) -> None:
    tenant.delete(VARIANT, item["variants"][0]["id"])


def _sold(tenant: Tenant, item: Record, _: object) -> None:
    sold = [{"variant_id": item["variants"][0]["id"], "quantity": 1}]
    order = {"order_no": f"SO of {item['name']}", "customer_id": live(tenant, "customers")[0]["id"]}
    tenant.create("sales_orders", {**order, "sales_order_rows": sold})


def _used(tenant: Tenant, item: Record, _: object) -> None:
    row = next(tenant.all("bom_rows"))
    names = ("product_variant_id", "product_item_id")
    own = {"ingredient_variant_id": item["variants"][0]["id"], "quantity": 1}
    tenant.create("bom_rows", {**{name: row[name] for name in names}, **own})


def _taken(collection: str) -> Mapping[str, Spoil]:
    return {
        "somebody made one of that name": Spoil(
            act=partial(_named_alike, collection), code="duplicate_name", blocks=False
        ),
        "somebody gave another item that SKU": Spoil(act=_numbered_alike, code="duplicate_sku", blocks=False),
    }


def _rows(kind: str) -> dict[str, Write]:
    """Return the rows of products or materials."""
    collection, always = f"{kind}s", dict[str, object](type=kind)
    make, taken = partial(_make, collection), _taken(collection)
    return {
        "create_item": Write(
            collection=collection,
            usual=_new,
            always=always,
            below=_below_new,
            pools=_pools,
            spoils=taken,
            parts=PARTS,
            derived=DERIVED,
            words=CALLED,
        ),
        "modify_item": Write(
            collection=collection,
            usual=_changed,
            subject="item_id",
            always=always,
            make=make,
            below=_below_changed,
            pools=_pools,
            spoils={
                **taken,
                "it is deleted": gone(collection),
                "a variant to change is deleted": Spoil(act=_moved, code="unknown_row_id"),
                "somebody did the same": Spoil(
                    act=_did_the_same,
                    code="no_effective_change",
                    asks=lambda _, item: {
                        "update_variants": [{"variant_id": item["variants"][0]["id"], "lead_time": 9}]
                    },
                ),
            },
            parts=PARTS,
            derived=DERIVED,
            words=CALLED,
        ),
        "delete_item": Write(
            collection=collection,
            usual=lambda *_: {},
            subject="item_id",
            always=always,
            make=make,
            spoils={
                "it is deleted": gone(collection),
                "it is on an order": Spoil(act=_sold, code="open_orders", blocks=False),
                "a product is made of it": Spoil(act=_used, code="in_use", blocks=False),
            },
            parts=PARTS,
            derived=DERIVED,
        ),
    }


ITEMS, MATERIALS = _rows("product"), _rows("material")


def _make_service(tenant: Tenant, name: str) -> Record:
    sold = [{"sku": f"{name}-V", "sales_price": 5, "default_cost": 2.5}]
    noted = {"uom": "h", "category_name": "Work", "additional_info": "by appointment"}
    return tenant.create("services", {"name": name, **noted, "variants": sold})


_SERVICE: Arguments = {"type": "service"}
SERVICES = {
    "create_item": Write(
        collection="services",
        usual=lambda _, name, __: {"name": name, "sku": f"{name}-V", "sales_price": 12.5, "uom": "h"},
        always=_SERVICE,
        pools=lambda *_: {"custom_fields": _NONE},
        spoils=_taken("services"),
    ),
    "modify_item": Write(
        collection="services",
        usual=lambda _, name, __: {"name": f"{name}, renamed", "sku": f"{name}-W", "is_archived": True},
        subject="item_id",
        always=_SERVICE,
        make=_make_service,
        pools=lambda *_: {"custom_fields": _NONE},
        spoils={"it is deleted": gone("services")},
    ),
    "delete_item": Write(
        collection="services",
        usual=lambda *_: {},
        subject="item_id",
        always=_SERVICE,
        make=_make_service,
        spoils={"it is deleted": gone("services")},
    ),
}
