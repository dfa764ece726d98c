"""Suppliers: the rows of their tools that plan a write."""

from katana_client.resources.addresses import PLACE
from katana_sandbox import Tenant

from .custom import free_values
from .writes import Arguments, Pools, Record, Spoil, Write, done_already, gone, live

SUPPLIER, ADDRESS = "suppliers", "supplier_addresses"
PARTS = {"addresses": ADDRESS, "add_addresses": ADDRESS}
DERIVED = frozenset({"default_address_id", "supplier_id"})
"""The one address that a supplier has is its default."""


def _make(tenant: Tenant, name: str) -> Record:
    place = {"line_1": f"Works of {name}", "zip": "01001", "city": "Tartu", "country": "EE"}
    head = {"email": "ada@example.com", "comment": "delivers on Fridays", "currency": "SEK"}
    return tenant.create(SUPPLIER, {"name": name, **head, "addresses": [place]})


def _address(supplier: Record) -> int:
    (address,) = supplier["addresses"]
    return address["id"]


def _new(_: Tenant, name: str, __: Record) -> Arguments:
    return {"name": name, "email": "ada@example.com", "addresses": [{"line_1": "Works 1", "zip": "01001"}]}


def _changed(_: Tenant, name: str, supplier: Record) -> Arguments:
    return {
        "name": f"{name}, renamed",
        "delete_address_ids": [_address(supplier)],
        "add_addresses": [{"line_1": f"New works of {name}"}],
    }


def _below_new(*_: object) -> dict[str, Arguments]:
    return {f"addresses[].{name}": {"addresses": [{"line_1": "Works", name: "Other"}]} for name in PLACE}


def _below_changed(_: Tenant, supplier: Record) -> dict[str, Arguments]:
    changed: Arguments = {"delete_address_ids": [], "add_addresses": []}
    named: Arguments = {"address_id": _address(supplier)}
    return {
        **{f"add_addresses[].{name}": {"add_addresses": [{"line_1": "Works", name: "Other"}]} for name in PLACE},
        **{f"update_addresses[].{name}": {**changed, "update_addresses": [{**named, name: "Other"}]} for name in PLACE},
        "update_addresses[].address_id": {**changed, "update_addresses": [{**named, "city": "Valga"}]},
    }


def _pools_new(tenant: Tenant, _: Record) -> Pools:
    return {"custom_fields": free_values(tenant, "Supplier")}


def _pools(tenant: Tenant, supplier: Record) -> Pools:
    return {
        **_pools_new(tenant, supplier),
        "update_addresses[].address_id": [_address(supplier)],
        "delete_address_ids[]": [_address(supplier)],
    }


def _moved(tenant: Tenant, supplier: Record, _: object) -> None:
    tenant.delete(ADDRESS, _address(supplier))
    tenant.create(ADDRESS, {"supplier_id": supplier["id"], "city": "Narva"})


def _orders(tenant: Tenant, supplier: Record, _: object) -> None:
    bought = [{"variant_id": live(tenant, "variants")[0]["id"], "quantity": 1, "price_per_unit": 1}]
    order = {"order_no": f"PO of {supplier['name']}", "supplier_id": supplier["id"], "purchase_order_rows": bought}
    tenant.create("purchase_orders", {**order, "location_id": live(tenant, "locations")[0]["id"]})


def _supplies(tenant: Tenant, supplier: Record, _: object) -> None:
    item = {"name": f"Tube of {supplier['name']}", "uom": "m", "default_supplier_id": supplier["id"]}
    tenant.create("materials", {**item, "variants": [{"sku": f"{supplier['name']}-T"}]})


def _named_alike(tenant: Tenant, _: object, arguments: Arguments) -> None:
    tenant.create(SUPPLIER, {"name": arguments["name"]})


_TAKEN = Spoil(act=_named_alike, code="duplicate_name", blocks=False)
SUPPLIERS = {
    "create_supplier": Write(
        collection=SUPPLIER,
        usual=_new,
        pools=_pools_new,
        below=_below_new,
        spoils={"somebody made one of that name": _TAKEN},
        parts=PARTS,
        derived=DERIVED | {"currency"},
    ),
    "modify_supplier": Write(
        collection=SUPPLIER,
        usual=_changed,
        subject="supplier_id",
        make=_make,
        pools=_pools,
        below=_below_changed,
        spoils={
            "it is deleted": gone(SUPPLIER),
            "the address to delete is another one now": Spoil(act=_moved, code="unknown_row_id"),
            "the address to change is another one now": Spoil(
                act=_moved,
                code="unknown_row_id",
                asks=lambda _, supplier: {"update_addresses": [{"address_id": _address(supplier), "city": "Valga"}]},
            ),
            "somebody did the same": done_already(SUPPLIER, phone="usual"),
            "items have it as their supplier whose prices would be in another currency": Spoil(
                act=_supplies, code="amounts_stay", blocks=False, asks=lambda *_: {"currency": "USD"}
            ),
            "another has the name that it is to get": _TAKEN,
        },
        parts=PARTS,
        derived=DERIVED,
    ),
    "delete_supplier": Write(
        collection=SUPPLIER,
        usual=lambda *_: {},
        subject="supplier_id",
        make=_make,
        spoils={
            "it is deleted": gone(SUPPLIER),
            "it has an order": Spoil(act=_orders, code="open_orders", blocks=False),
            "it supplies an item": Spoil(act=_supplies, code="supplies_items", blocks=False),
        },
        parts=PARTS,
        derived=DERIVED,
    ),
}
