"""Services: the rows of the tools that plan a write of an item."""

from katana_sandbox import Tenant

from .writes import Arguments, Record, Spoil, Write, gone, live

SERVICE, VARIANT = "services", "service_variants"
TYPE: Arguments = {"type": "service"}


def _make(tenant: Tenant, name: str) -> Record:
    sold = [{"sku": f"{name}-V", "sales_price": 5, "default_cost": 2.5}]
    noted = {"uom": "h", "category_name": "Work", "additional_info": "by appointment"}
    return tenant.create(SERVICE, {"name": name, **noted, "variants": sold})


def _new(_: Tenant, name: str, __: Record) -> Arguments:
    return {**TYPE, "name": name, "sku": f"{name}-V", "sales_price": 12.5, "uom": "h"}


def _changed(_: Tenant, name: str, __: Record) -> Arguments:
    return {"name": f"{name}, renamed", "sku": f"{name}-W", "sales_price": None, "is_archived": True}


def _named_alike(tenant: Tenant, _: object, arguments: Arguments) -> None:
    _make(tenant, str(arguments["name"]))


def _numbered_alike(tenant: Tenant, _: object, arguments: Arguments) -> None:
    tenant.create("materials", {"name": "Another", "uom": "pcs", "variants": [{"sku": arguments["sku"]}]})


def _did_the_same(tenant: Tenant, service: Record, _: object) -> None:
    tenant.edit(VARIANT, service["variants"][0]["id"], sku="SAME-1")
    tenant.edit(SERVICE, service["id"], True, archived_at="2026-03-02T09:00:00.000Z")


def _sold(tenant: Tenant, service: Record, _: object) -> None:
    sold = [{"variant_id": service["variants"][0]["id"], "quantity": 1}]
    order = {"order_no": f"SO of {service['name']}", "customer_id": live(tenant, "customers")[0]["id"]}
    tenant.create("sales_orders", {**order, "sales_order_rows": sold})


_TAKEN = {
    "somebody made one of that name": Spoil(act=_named_alike, code="duplicate_name", blocks=False),
    "somebody gave another item that SKU": Spoil(act=_numbered_alike, code="duplicate_sku", blocks=False),
}
ITEMS = {
    "create_item": Write(collection=SERVICE, usual=_new, always=TYPE, spoils=_TAKEN),
    "modify_item": Write(
        collection=SERVICE,
        usual=_changed,
        subject="item_id",
        always=TYPE,
        make=_make,
        spoils={
            **_TAKEN,
            "it is deleted": gone(SERVICE),
            "somebody did the same": Spoil(
                act=_did_the_same,
                code="no_effective_change",
                asks=lambda *_: {"sku": "SAME-1", "is_archived": True},
            ),
        },
    ),
    "delete_item": Write(
        collection=SERVICE,
        usual=lambda *_: {},
        subject="item_id",
        always=TYPE,
        make=_make,
        spoils={
            "it is deleted": gone(SERVICE),
            "it is on an order": Spoil(act=_sold, code="open_orders", blocks=False),
        },
    ),
}
