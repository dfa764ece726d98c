"""Whatever Katana sends of a record stands in its document, or in the one list of what is left out, with the reason."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, cast

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged
from katana_sandbox import Tenant

type Wire = dict[str, Any]

SERIAL = {"id": 1, "transaction_id": "x", "serial_number": "x", "resource_type": "x", "resource_id": 1}
MADE = [{**SERIAL, "transaction_date": "2026-01-01T00:00:00.000Z", "quantity_change": 1}]
FILLED: dict[str, object] = {
    "batch_transactions": [{"batch_id": 1, "quantity": 1}],
    "traceability": [{"batch_id": 1, "bin_location_id": 1, "serial_number_id": 1, "quantity": "1.0"}],
    "serial_numbers": [1],
    "serial_number_transactions": [{"serial_number_id": 1, "quantity": 1}],
    "attributes": [{"key": "x", "value": "x"}],
    "assigned_operators": [{"operator_id": 1, "name": "x"}],
    "completed_by_operators": [{"operator_id": 1, "name": "x"}],
    "custom_fields": [{"field_name": "x", "field_value": "x"}],
    "conversion_rate": 1.5,
    "cost": 1.5,
    "minimum_order_quantity": 1.5,
    "purchase_uom_conversion_rate": "1.5",
}
"""What stands in fields that are empty in every record of the sandbox, by name; else a text, an id or a moment."""
ENOUGH = 40
"""Records of a collection, among which each field that is ever filled is."""
OF_ORDERS = {"custom_fields": {"0c5a9d3e-5d0f-4a57-9a53-6b6d3c2f7f11": "x"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A document.

    Attributes:
        tool: what gets it.
        arguments: beside its id.
        collection: where its record is.
        holds: where it stands in the answer.
        beside: what Katana keeps beside it: collection → its field with an id, and the document's field with the same.
        filled: what stands in empty fields, where that differs.
    """

    tool: str
    collection: str
    holds: str = "order"
    arguments: Wire = field(default_factory=dict[str, Any])
    beside: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    filled: Mapping[str, object] = field(default_factory=dict[str, object])


CASES: dict[str, Case] = {
    "sales order": Case(
        tool="get_sales_order",
        collection="sales_orders",
        beside={"sales_order_fulfillments": ("sales_order_id", "id")},
        filled=OF_ORDERS,
    ),
    "purchase order": Case(
        tool="get_purchase_order",
        collection="purchase_orders",
        beside={
            "po_additional_cost_rows": ("group_id", "default_group_id"),
            "outsourced_purchase_order_recipe_rows": ("purchase_order_id", "id"),
            "purchase_order_accounting_metadata": ("purchase_order_id", "id"),
        },
    ),
    "manufacturing order": Case(
        tool="get_manufacturing_order",
        collection="manufacturing_orders",
        arguments={"verbose": True},
        beside={
            "manufacturing_order_recipe_rows": ("manufacturing_order_id", "id"),
            "manufacturing_order_operation_rows": ("manufacturing_order_id", "id"),
            "manufacturing_order_productions": ("manufacturing_order_id", "id"),
        },
        filled={"serial_numbers": MADE},
    ),
    "stock transfer": Case(tool="get_stock_transfer", collection="stock_transfers", holds="transfer"),
    "stock adjustment": Case(tool="get_stock_adjustment", collection="stock_adjustments", holds="adjustment"),
    "customer": Case(tool="get_customer", collection="customers", holds="customer"),
    "variant": Case(tool="get_variant_details", collection="variants", holds="variants"),
    **{
        kind: Case(tool="get_item", collection=f"{kind}s", holds="item", arguments={"item_type": kind})
        for kind in ("product", "material", "service")
    },
}
RECIPE = "manufacturing_order_recipe_rows"
OPERATIONS = "manufacturing_order_operation_rows"
PRODUCTIONS = "manufacturing_order_productions"


def _written(*parts: str) -> tuple[str, ...]:
    return tuple(f"{part}.{name}" for part in parts for name in ("created_at", "updated_at"))


def _ledger(part: str) -> tuple[str, ...]:
    said = ("id", "transaction_id", "resource_type", "resource_id", "transaction_date", "quantity_change")
    return tuple(f"{part}.{name}" for name in said)


WRITTEN = "when a part was written; the document says when it was"
OWNER = "names what it stands in"
BASE = "the row has its total in the base currency"
LEDGER = "entries of the ledger of serial numbers; the document has the numbers"
UNTOLD = "an id that no tool takes, and whose name is told"
NONE = "an id that no tool takes, of what has no name"
LEFT: dict[str, dict[str, tuple[str, ...]]] = {
    "sales order": {
        WRITTEN: (
            *_written("sales_order_rows[]", "addresses[]", "sales_order_fulfillments"),
            *("sales_order_rows[].conversion_date", "sales_order_fulfillments.conversion_date"),
        ),
        OWNER: ("sales_order_rows[].sales_order_id", "addresses[].sales_order_id", "shipping_fee.sales_order_id"),
        BASE: ("sales_order_rows[].price_per_unit_in_base_currency", "sales_order_rows[].conversion_rate"),
        "older words for the serial numbers of the row": (
            "sales_order_rows[].serial_number_transactions[].serial_number_id",
            "sales_order_rows[].serial_number_transactions[].quantity",
        ),
        "the variant's own SKU is told, which may be newer": ("sales_order_rows[].sku",),
    },
    "purchase order": {
        WRITTEN: (
            *_written("purchase_order_rows[]", "po_additional_cost_rows", "outsourced_purchase_order_recipe_rows"),
            *("purchase_order_rows[].conversion_date", "po_additional_cost_rows.currency_conversion_rate_fix_date"),
        ),
        OWNER: ("purchase_order_rows[].purchase_order_id",),
        BASE: (
            *("purchase_order_rows[].price_per_unit_in_base_currency",),
            *("po_additional_cost_rows.currency_conversion_rate",),
        ),
        "the rate itself is told": ("po_additional_cost_rows.tax_rate_id",),
        "a bill goes by its bill_id": ("purchase_order_accounting_metadata.id",),
    },
    "manufacturing order": {
        WRITTEN: (
            *_written(RECIPE, OPERATIONS, PRODUCTIONS, f"{PRODUCTIONS}.ingredients[]", f"{PRODUCTIONS}.operations[]"),
            *(f"{PRODUCTIONS}.ingredients[].production_date", f"{PRODUCTIONS}.operations[].production_date"),
        ),
        OWNER: tuple(
            f"{PRODUCTIONS}.{part}[].{name}"
            for part in ("ingredients", "operations")
            for name in ("manufacturing_order_id", "production_id", "location_id")
        ),
        LEDGER: (*_ledger("serial_numbers[]"), *_ledger(f"{PRODUCTIONS}.serial_numbers[]")),
        UNTOLD: (
            *(f"{OPERATIONS}.operation_id", f"{OPERATIONS}.resource_id"),
            *(f"{OPERATIONS}.assigned_operators[].operator_id", f"{OPERATIONS}.completed_by_operators[].operator_id"),
        ),
        NONE: (*(f"{PRODUCTIONS}.ingredients[].id", f"{PRODUCTIONS}.operations[].id", f"{PRODUCTIONS}.factory_id"),),
        "the newer form of batch_transactions": tuple(
            f"{PRODUCTIONS}.ingredients[].traceability[].{name}" for name in ("batch_id", "quantity")
        ),
        "operations stand in their order": (f"{OPERATIONS}.rank",),
        "what planned time and cost per hour are worked out from": (
            *(f"{OPERATIONS}.planned_time_parameter", f"{OPERATIONS}.cost_parameter"),
        ),
        "only a write asks for it": (f"{OPERATIONS}.is_status_actionable",),
        "productions, and the sales order it is made for, say it": (
            *("includes_partial_completions", "is_linked_to_sales_order"),
        ),
    },
    "stock transfer": {},
    "stock adjustment": {},
    "customer": {
        WRITTEN: _written("addresses[]"),
        OWNER: ("addresses[].customer_id",),
        "an address that the customer does not have is nobody's default": (
            *("default_billing_id", "default_shipping_id"),
        ),
    },
    "variant": {
        "a variant is told by when it changed": ("created_at",),
        "item_type and item_id say it": ("type", "material_id"),
    },
    **{
        kind: {
            WRITTEN: _written("variants[]"),
            OWNER: (*(f"variants[].{name}_id" for name in owners), *(f"configs[].{name}_id" for name in owners[:1])),
            UNTOLD: ("configs[].id",),
            "item_type says it": ("type", "variants[].type"),
            "names a set of fields, of which those with a value are told": ("custom_field_collection_id",),
        }
        for kind, owners in (("product", ("product", "material")), ("material", ("material", "product")))
    },
    "service": {
        WRITTEN: _written("variants[]"),
        OWNER: ("variants[].service_id",),
        "item_type says it": ("type", "variants[].type"),
        "names a set of fields, of which those with a value are told": ("custom_field_collection_id",),
    },
}
"""What is left out of each document, and why: reason → paths on the wire."""


def _merged(values: list[Any], filled: Mapping[str, object], name: str = "") -> Any:  # noqa: ANN401 - any JSON
    """Return one value with everything that any of these values has, a list with one entry."""
    present = [value for value in values if value not in (None, [], {})]
    if not present:
        return filled.get(name, FILLED.get(name, "x"))
    if isinstance(present[0], dict):
        records = cast("list[Wire]", present)
        keys = dict.fromkeys(key for record in records for key in record)
        return {key: _merged([record.get(key) for record in records], filled, key) for key in keys}
    if isinstance(present[0], list):
        return [_merged([entry for entries in present for entry in entries], filled)]
    return next((value for value in present if isinstance(value, float)), present[0])


def _own(value: Any, number: Iterator[int], name: str = "") -> Any:  # noqa: ANN401 - any JSON
    """Return the value with each leaf one of its own, so that it can be told in an answer; nothing is deleted."""
    if isinstance(value, dict):
        record = cast("Wire", value)
        return {key: _own(record[key], number, key) for key in record if key not in {"deleted_at", "archived_at"}}
    if isinstance(value, list):
        return [_own(element, number, name) for element in cast("list[Any]", value)]
    return True if isinstance(value, bool) else _leaf(value, name, next(number))


def _leaf(value: float | str, name: str, own: int) -> object:
    if name.endswith(("_date", "_at", "_deadline")):
        return f"2025-{own // 28 % 12 + 1:02}-{own % 28 + 1:02}T{own // 336:02}:00:00.000Z"
    if isinstance(value, int) or (value == "x" and name.endswith("_id")):
        return 700_000 + own
    if isinstance(value, float):
        return 700_000.5 + own
    return f"{700_000 + own}.0000" if re.fullmatch(r"-?\d+\.\d+", value) else f"<{name} {own}>"


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        for name, member in cast("Wire", value).items():
            yield from _leaves(member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for element in cast("list[Any]", value):
            yield from _leaves(element, f"{path}[]")
    else:
        yield path, value


def _planted(tenant: Tenant, case: Case, number: Iterator[int]) -> tuple[int, Wire]:
    """Put in a record with everything, and what belongs to it; return its id, and what stands in each field."""

    def made(collection: str, **links: object) -> Wire:
        samples = list(islice(tenant.all(collection), ENOUGH))
        record: Wire = {**_own(_merged(samples, case.filled), number), **links}
        tenant.insert_raw(collection, record)
        return record

    document = made(case.collection)
    leaves = dict(_leaves(document))
    for collection, (name, of) in case.beside.items():
        leaves |= dict(_leaves(made(collection, **{name: document[of]}), collection))
    return document["id"], leaves


def _stands(path: str, value: float | str, document: Wire) -> bool:
    """Return whether the document has the value; where that is a flag, under the same name."""
    name = path.rpartition(".")[2]
    for at, leaf in _leaves(document):
        if value is True:
            found = leaf is True and at.rpartition(".")[2] == name
        elif isinstance(value, str) and not value.endswith(".0000"):
            # Where people know the day alone, the day is told.
            found = isinstance(leaf, str) and (value in leaf or (leaf == value[:10] and at.rpartition(".")[2] == name))
        else:
            found = leaf == float(value)
        if found:
            return True
    return False


@pytest.mark.usefixtures("outsourced")
async def test_whatever_katana_sends_of_a_record_stands_in_its_document(own: OwnSandbox, tenant: Tenant) -> None:
    numbers = count(1)
    planted = {name: _planted(tenant, case, numbers) for name, case in CASES.items()}
    missing: dict[str, set[str]] = {}
    async with staged(own) as stage:
        for name, case in CASES.items():
            id, leaves = planted[name]
            asked = {"skus_or_variant_ids": [id]} if name == "variant" else {f"{case.tool.removeprefix('get_')}_id": id}
            document = (await stage.call(case.tool, **case.arguments, **asked))[case.holds]
            missing[name] = {path for path, value in leaves.items() if not _stands(path, value, document)}
    assert {name: sorted(paths) for name, paths in missing.items()} == {
        name: sorted(path for paths in LEFT[name].values() for path in paths) for name in CASES
    }
