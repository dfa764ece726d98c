"""Nothing is denied unasked: each argument that names a record takes one that was made a second ago."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import pytest

from katana_mcp.resources.reference import REFERENCE, ReferenceResource
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import ManualClock, Tenant

from .all_writes import WRITES
from .matrix import matrix
from .shapes import nodes
from .texts import NAMES_NONE
from .usual import Usual

pytestmark = pytest.mark.usefixtures("hasty_journal")
type Record = dict[str, Any]

LISTED = {row["name"]: row["inputSchema"] for row in catalogue()}
NAMES = {
    "item_id": "materials",
    "customer_id": "customers",
    "supplier_id": "suppliers",
    "location_id": "locations",
    "tracking_location_id": "locations",
    "source_location_id": "locations",
    "target_location_id": "locations",
    "destination_location_id": "locations",
    "tax_rate_id": "tax_rates",
    "additional_cost_id": "additional_costs",
    "sales_order_id": "sales_orders",
    "sales_return_id": "sales_returns",
    "return_location_id": "locations",
    "restock_location_id": "locations",
    "purchase_order_id": "purchase_orders",
    "manufacturing_order_id": "manufacturing_orders",
    "stock_transfer_id": "stock_transfers",
    "stock_adjustment_id": "stock_adjustments",
    "sku_or_variant_id": "variants",
    "skus_or_variant_ids": "variants",
    **dict.fromkeys(("old", "new", "copy_of"), "variants"),
    "ingredient_skus_or_variant_ids": "variants",
    **dict.fromkeys(("orders", "before", "after"), "sales_orders"),
    "field": "custom_field_definitions",
}
"""The arguments that name a record, and where Katana keeps such records."""
OTHERS = {
    "batch_id": "of the goods that came: Katana tells when the plan is applied whether there is such a batch",
    "serial_number_ids": "of the goods that came: Katana says at the apply whether there are such numbers",
    "serial_number_id": "of the goods of the row: Katana is asked where its units are",
    "reference_id": "what people call a customer elsewhere: a text that is looked for",
    "received_with_row_id": "of the order, which is read from Katana each time",
    "row_id": "of the order, which is read from Katana each time",
    "delete_row_ids": "of the order, which is read from Katana each time",
    "stocktake_id": "is read from Katana each time",
    "additional_cost_row_id": "of the order, whose costs are read from Katana each time",
    "delete_additional_cost_row_ids": "of the order, whose costs are read from Katana each time",
    "address_id": "of the customer, the supplier or the order, which is read from Katana each time",
    "shipping_fee_id": "of the order, which is read from Katana each time",
    "delete_shipping_fee_ids": "of the order, which is read from Katana each time",
    "fulfillment_row_id": "of the sales order, whose shipped rows are read from Katana each time",
    "reason_id": "of Katana's own reasons, which are read each time",
    "fulfillment_id": "of the order, whose shipments are read from Katana each time",
    "delete_fulfillment_id": "of the order, whose shipments are read from Katana each time",
    "recipe_row_id": "of the order, whose ingredients are read from Katana each time",
    "delete_recipe_row_ids": "of the order, whose ingredients are read from Katana each time",
    "operation_row_id": "of the order, whose operations are read from Katana each time",
    "delete_operation_row_ids": "of the order, whose operations are read from Katana each time",
    "variant_id": "of the item, which is read from Katana each time",
    "delete_variant_ids": "of the item, which is read from Katana each time",
    "after_variant_id": "a place in the order of ids, of a variant or not",
    "row_ids": "of the sales order, which is read from Katana each time",
    "production_id": "of the order, whose productions are read from Katana each time",
    "delete_production_id": "of the order, whose productions are read from Katana each time",
    "ecommerce_order_id": "the number of an order in a shop: a text that is written",
    "delete_address_ids": "of the customer or the supplier, who is read from Katana each time",
    "default_shipping_id": "of the customer, who is read from Katana each time",
}
"""Arguments that end like those and name no record of a collection that is cached, each with the reason."""
CALLED = {
    "variants": "sku",
    "sales_orders": "order_no",
    "sales_returns": "order_no",
    "purchase_orders": "order_no",
    "manufacturing_orders": "order_no",
    "stock_transfers": "stock_transfer_number",
    "stock_adjustments": "stock_adjustment_number",
    "custom_field_definitions": "label",
}
"""The field by which people call a record; `name` elsewhere."""


OWN = {"ids": ["id"], "name": ["name"]}
"""The fields of a record by which a list finds it; by its id and what people call it elsewhere."""


def _places() -> Iterator[tuple[str, str, str]]:
    """Yield each tool with each path that names a record, and its collection."""
    for tool, schema in LISTED.items():
        for path in dict.fromkeys(path for path, _ in nodes(schema)):
            name = path.rpartition(".")[2]
            if tool.startswith("list_") and path in {"ids", "name"}:
                yield tool, path, tool.removeprefix("list_").replace("items", "products")
            elif name in NAMES:
                is_its_own = tool in WRITES and WRITES[tool].subject == name
                yield tool, path, WRITES[tool].collection if is_its_own else NAMES[name]


PLACES = list(_places())


def test_every_argument_that_ends_like_an_id_is_named_here() -> None:
    paths = [path.rpartition(".")[2] for schema in LISTED.values() for path, _ in nodes(schema)]
    ending = {name for name in paths if name.endswith(("_id", "_ids"))}
    assert ending == {name for name in NAMES if name.endswith(("_id", "_ids"))} | OTHERS.keys()
    assert {tool for tool, _, _ in PLACES} >= {tool for tool in LISTED if tool.startswith(("get_", "modify_"))}


def _made(tenant: Tenant, collection: str, text: str) -> Record:
    """Return a new record that is called by this text, as somebody else has just made it."""
    places = [location["id"] for location in tenant.all("locations") if location["deleted_at"] is None]
    bought = next(variant["id"] for variant in tenant.all("variants") if variant["material_id"])
    made = next(tenant.all("bom_rows"))["product_variant_id"]
    rows = [{"variant_id": bought, "quantity": 1}]
    if collection == "variants":
        tenant.create("materials", {"name": f"Item of {text}", "uom": "pcs", "variants": [{"sku": text}]})
        return next(variant for variant in tenant.all("variants") if variant["sku"] == text)
    if collection in {"locations", "additional_costs", "operators"}:
        *_, last = tenant.all(collection)
        name = "operator_name" if collection == "operators" else "name"
        sells = {"sales_allowed": True} if collection == "locations" else {}
        key = tenant.insert_raw(collection, {**last, **sells, "id": last["id"] + 1, name: text})
        return {**last, "id": key, name: text}
    bodies: Mapping[str, Record] = {
        "suppliers": {"name": text},
        "customers": {"name": text},
        "tax_rates": {"name": text, "rate": 7},
        "services": {"name": text, "variants": [{"sku": f"{text} SKU"}]},
        **{
            kind: {"name": text, "uom": "pcs", "variants": [{"sku": f"{text} SKU"}]}
            for kind in ("products", "materials")
        },
        "sales_orders": {
            "order_no": text,
            "customer_id": next(tenant.all("customers"))["id"],
            "sales_order_rows": rows,
        },
        "sales_returns": {
            "order_no": text,
            "sales_order_id": next(tenant.all("sales_returns"))["sales_order_id"],
            "return_location_id": places[0],
        },
        "purchase_orders": {
            "order_no": text,
            "supplier_id": next(tenant.all("suppliers"))["id"],
            "location_id": places[0],
            "purchase_order_rows": [{**rows[0], "price_per_unit": 1}],
        },
        "manufacturing_orders": {
            "order_no": text,
            "variant_id": made,
            "planned_quantity": 1,
            "location_id": places[0],
        },
        "stock_transfers": {
            "stock_transfer_number": text,
            "source_location_id": places[0],
            "target_location_id": places[1],
            "stock_transfer_rows": [{**rows[0], "quantity": "1"}],
        },
        "stocktakes": {"stocktake_number": text, "location_id": places[0]},
        "custom_field_definitions": {
            "label": text,
            "field_type": "shortText",
            "entity_type": "SalesOrder",
            "source": "katana",
        },
        "stock_adjustments": {
            "stock_adjustment_number": text,
            "location_id": places[0],
            "stock_adjustment_rows": rows,
        },
    }
    return tenant.create(collection, bodies[collection])


def _absent(tenant: Tenant, collection: str) -> int | str:
    if collection == "custom_field_definitions":
        return "0c5a9d3e-5d0f-4a57-9a53-6b6d3c2f7f11"
    return max(record["id"] for record in tenant.all(collection)) + 1_000_000


class _Calls:
    """Calls of one tool in which one argument names something; everything else is as usual."""

    def __init__(self, stage: Stage, usual: Usual, tool: str, path: str) -> None:
        self._stage = stage
        self.tool = tool
        self._path = path
        self._usual = usual.arguments
        self._changes = usual.changes

    async def usual(self) -> Counter[str]:
        return (await self._counted(self._usual))[1]

    async def naming(self, value: object) -> tuple[Payload, Counter[str]]:
        return await self._counted(self._with(value))

    def _with(self, value: object) -> Record:
        first, _, rest = self._path.partition("[].")
        if rest:
            rows = cast("list[Record]", self._usual.get(first) or self._changes[first][first])
            return {**self._usual, first: [{**rows[0], rest: value}]}
        return {**self._usual, self._path: [value] if self._path.endswith(("ids", "orders")) else value}

    async def _counted(self, arguments: Record) -> tuple[Payload, Counter[str]]:
        before = self._stage.requests()
        result = await self._stage.result(self.tool, arguments)
        # A listing of one counts the rows, which a collection without tombstones needs from time to time.
        entries = [entry for entry in [*self._stage.own.sandbox.journal][before:] if ("limit", "1") not in entry.query]
        return payload_of(result), Counter(entry.path.rpartition("/")[2] for entry in entries)


def _denied(answer: Payload, path: str) -> bool:
    codes = {warning["code"] for warning in answer["warnings"]}  # `replenish` and counts plan the rest, and say so
    return (
        bool({"not_found", "misread_lines"} & codes)
        or bool(answer.get("not_found"))
        or (path == "name" and "empty" in answer)
    )


def _cases() -> Iterator[Any]:
    """Give every other kind of record to the first tool that takes one; all, as slow proofs."""
    first: dict[str, tuple[str, str]] = {}
    for tool, path, collection in PLACES:
        first.setdefault(collection, (tool, path))
    for tool in dict.fromkeys(tool for tool, _, _ in PLACES):
        own = [(path, collection) for other, path, collection in PLACES if other == tool]
        some = [place for place in own if (tool, place[0]) in [*first.values()][::2]]
        if some:
            yield pytest.param(tool, some, id=tool)
        yield pytest.param(tool, own, id=f"{tool}-all", marks=pytest.mark.soak)


@pytest.mark.in_turn
@pytest.mark.parametrize(("tool", "places"), list(_cases()))
async def test_what_was_made_a_second_ago_is_taken_and_what_is_absent_is_asked_for_once(
    stage: Stage, tenant: Tenant, clock: ManualClock, tool: str, places: Sequence[tuple[str, str]]
) -> None:
    called = matrix(tenant)[tool]
    for path, collection in places:
        calls = _Calls(stage, called, tool, path)
        names = OWN.get(path, ["id", CALLED.get(collection, "name")])
        present = next(record[names[0]] for record in tenant.all(collection) if not record.get("deleted_at"))
        clock.advance(61)
        await calls.usual()
        await calls.naming(present)
        usual = (await calls.usual()) | (await calls.naming(present))[1]
        for field in names:
            clock.advance(61)
            await calls.usual()
            made = _made(tenant, collection, f"Made just now as {path} by {field}")
            clock.advance(1)
            answer, asked = await calls.naming(made[field])
            assert not _denied(answer, path), (path, field, answer)
            assert asked[collection] <= 1 + usual[collection], (path, field, asked)
        for absent in [_absent(tenant, collection) if field == "id" else "Nobody made this 0" for field in names]:
            clock.advance(61)
            await calls.usual()
            await calls.naming(present)
            answer, asked = await calls.naming(absent)
            assert _denied(answer, path), (path, absent, answer)
            assert answer["as_of"]
            assert asked[collection] >= 1, (path, absent, asked)
            assert all(times <= 1 + usual[name] for name, times in asked.items()), (path, absent, asked)
            again, asked = await calls.naming(absent)
            assert _denied(again, path), (path, absent)
            assert asked <= usual, (path, absent, asked)


@pytest.mark.cold
@pytest.mark.parametrize(
    "resource", [resource for resource in REFERENCE if resource.template], ids=lambda resource: resource.entity
)
async def test_a_reference_record_that_was_made_a_second_ago_is_read(
    stage: Stage, tenant: Tenant, clock: ManualClock, resource: ReferenceResource
) -> None:
    collection = resource.uri.removeprefix("katana://").replace("-", "_")
    await stage.read(resource.uri)
    made = _made(tenant, collection, "Made just now")
    clock.advance(1)
    before = stage.requests()
    assert "Made just now" in await stage.read((resource.template or "").replace("{id}", str(made["id"])))
    assert stage.requests() == before + 1


def test_every_tool_that_plans_is_among_them() -> None:
    assert {tool for tool, _, _ in PLACES} >= WRITES.keys() - set(NAMES_NONE)
