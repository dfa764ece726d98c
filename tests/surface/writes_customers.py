"""Customers: the rows of their tools that plan a write."""

from katana_sandbox import Tenant

from .custom import free_values
from .writes import Arguments, Pools, Record, Spoil, Write, done_already, gone, live

CUSTOMER, ADDRESS = "customers", "customer_addresses"
LINES = ("first_name", "last_name", "company", "phone", "line_1", "line_2", "city", "state", "zip", "country")
PARTS = {"addresses": ADDRESS, "add_addresses": ADDRESS}
DERIVED = frozenset({"default", "default_billing_id", "default_shipping_id", "customer_id"})
"""Which addresses are defaults Katana says, unless it is told."""


def _make(tenant: Tenant, name: str) -> Record:
    person = {"first_name": "Ada", "phone": "+372 555 01", "zip": "01001", "country": "EE"}
    places = [{"entity_type": "billing", "line_1": f"Office of {name}", "city": "Tartu", **person}]
    places += [{"entity_type": "shipping", "line_1": f"Hall {nr} of {name}", "city": "Narva"} for nr in (1, 2, 3)]
    head = {"email": "ada@example.com", "category": "Dealer", "discount_rate": 2.5, "comment": "pays late"}
    return tenant.create(CUSTOMER, {"name": name, **head, "addresses": places})


def _ids(customer: Record) -> tuple[int, list[int]]:
    """Return the address for billing, and those for shipping, the default first."""
    billing, *shipping = [address["id"] for address in customer["addresses"]]
    return billing, shipping


def _new(_: Tenant, name: str, __: Record) -> Arguments:
    places = [{"entity_type": "billing", "line_1": "Office 1"}, {"entity_type": "shipping", "zip": "01001"}]
    return {"name": name, "email": "ada@example.com", "discount_rate": 7.5, "addresses": places}


def _changed(_: Tenant, name: str, customer: Record) -> Arguments:
    billing, shipping = _ids(customer)
    return {
        "name": f"{name}, renamed",
        "update_addresses": [{"address_id": billing, "city": "Valga"}],
        "delete_address_ids": shipping[:1],
        "add_addresses": [{"entity_type": "shipping", "line_1": f"New hall of {name}", "default": True}],
    }


def _with_lines(argument: str, address: Arguments) -> dict[str, Arguments]:
    """Return this address with each of its lines another one."""
    return {f"{argument}[].{name}": {argument: [{**address, name: "Other"}]} for name in LINES}


def _below_new(*_: object) -> dict[str, Arguments]:
    plain: Arguments = {"entity_type": "shipping", "line_1": "Hall"}
    return {
        **_with_lines("addresses", plain),
        "addresses[].entity_type": {"addresses": [{**plain, "entity_type": "billing"}]},
        "addresses[].default": {"addresses": [plain, {**plain, "line_1": "Hall 2", "default": True}]},
    }


def _below_changed(_: Tenant, customer: Record) -> dict[str, Arguments]:
    billing, shipping = _ids(customer)
    plain: Arguments = {"entity_type": "shipping", "line_1": "Hall"}
    return {
        **_with_lines("add_addresses", plain),
        "add_addresses[].entity_type": {
            "delete_address_ids": [billing],
            "update_addresses": [],
            "add_addresses": [{**plain, "entity_type": "billing"}],
        },
        "add_addresses[].default": {"add_addresses": [{**plain, "default": False}]},
        **_with_lines("update_addresses", {"address_id": billing}),
        "update_addresses[].address_id": {"update_addresses": [{"address_id": shipping[1], "city": "Valga"}]},
    }


def _pools_new(tenant: Tenant, _: Record) -> Pools:
    return {"custom_fields": free_values(tenant, "Customer")}


def _pools(tenant: Tenant, customer: Record) -> Pools:
    billing, shipping = _ids(customer)
    return {
        **_pools_new(tenant, customer),
        "update_addresses[].address_id": [billing, *shipping],
        "delete_address_ids[]": [billing, *shipping],
        "default_shipping_id": shipping,
    }


def _address_gone(place: int) -> Spoil:
    """Return that an address of the customer is deleted."""
    return Spoil(
        act=lambda tenant, customer, _: tenant.delete(ADDRESS, customer["addresses"][place]["id"]),
        code="unknown_row_id",
    )


def _billed_anew(tenant: Tenant, customer: Record, _: object) -> None:
    tenant.delete(ADDRESS, _ids(customer)[0])
    tenant.create(ADDRESS, {"customer_id": customer["id"], "entity_type": "billing", "line_1": "Office 2"})


def _asks_to_bill(_: Tenant, customer: Record) -> Arguments:
    return {"delete_address_ids": [_ids(customer)[0]], "add_addresses": [{"entity_type": "billing", "city": "Valga"}]}


def _orders(tenant: Tenant, customer: Record, _: object) -> None:
    sold = [{"variant_id": live(tenant, "variants")[0]["id"], "quantity": 1}]
    order = {"order_no": f"SO of {customer['name']}", "customer_id": customer["id"], "sales_order_rows": sold}
    tenant.create("sales_orders", {**order, "location_id": live(tenant, "locations")[0]["id"]})


def _named_alike(tenant: Tenant, _: object, arguments: Arguments) -> None:
    tenant.create(CUSTOMER, {"name": arguments["name"]})


_TAKEN = Spoil(act=_named_alike, code="duplicate_name", blocks=False)
CUSTOMERS = {
    "create_customer": Write(
        collection=CUSTOMER,
        usual=_new,
        pools=_pools_new,
        below=_below_new,
        spoils={"somebody made one of that name": _TAKEN},
        parts=PARTS,
        derived=DERIVED | {"currency"},
    ),
    "modify_customer": Write(
        collection=CUSTOMER,
        usual=_changed,
        subject="customer_id",
        make=_make,
        pools=_pools,
        below=_below_changed,
        spoils={
            "it is deleted": gone(CUSTOMER),
            "the address to change is deleted": _address_gone(0),
            "the address to delete is deleted": _address_gone(1),
            "the address to be the default is deleted": Spoil(
                act=lambda tenant, customer, _: tenant.delete(ADDRESS, _ids(customer)[1][1]),
                code="unknown_row_id",
                asks=lambda _, customer: {"default_shipping_id": _ids(customer)[1][1]},
            ),
            "it has another address for billing": Spoil(
                act=_billed_anew, code="second_billing_address", asks=_asks_to_bill
            ),
            "somebody did the same": done_already(CUSTOMER, phone="usual"),
            "the address to delete is the default": Spoil(
                act=lambda tenant, customer, _: tenant.edit(
                    CUSTOMER, customer["id"], default_shipping_id=_ids(customer)[1][1]
                ),
                code="default_address_deleted",
                blocks=False,
                asks=lambda _, customer: {"delete_address_ids": _ids(customer)[1][1:2]},
            ),
            "another has the name that it is to get": _TAKEN,
        },
        parts=PARTS,
        derived=DERIVED,
    ),
    "delete_customer": Write(
        collection=CUSTOMER,
        usual=lambda *_: {},
        subject="customer_id",
        make=_make,
        spoils={
            "it is deleted": gone(CUSTOMER),
            "it has an order": Spoil(act=_orders, code="open_orders", blocks=False),
        },
        parts=PARTS,
        derived=DERIVED,
    ),
}
