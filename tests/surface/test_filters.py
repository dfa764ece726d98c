"""What each filter and each sort key of a list means, against plain Python over what the sandbox holds."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, cast

import pytest

from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage
from katana_sandbox import EditBody, Fault, ManualClock, Tenant

from .matrix import A_MINUTE, PLANS
from .matrix_verified import verified

type Wire = dict[str, Any]
type Keeps = Callable[[Wire], bool]

TODAY = "2026-03-01T22:00:00.000Z"
"""When the day began in the factory's time zone."""
WINDOW = {"ids", "limit", "page", "include_deleted", "include_archived", "include_rows", "rows_only", "order_by"}
"""What is no filter: which page is shown, and how."""
CUSTOM = {"custom_fields"}
"""What `test_custom_filters` asks for."""
SEVERAL = 3
PAGE = 25
OFTEN_EMPTY = {"delivery_date", "picked_date", "production_deadline_date", "done_date", "expected_arrival_date"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What the filters of a list look at, in Katana's fields.

    Attributes:
        collections: where the rows come from.
        dates: the start of `…_from` and `…_to` → field.
        amounts: the start of `…_min` and `…_max` → field.
        values: filter → field, and every value that Katana sends in it.
        texts: filter → field that people fill in.
        names: filter → field with the id of a record.
        flags: yes/no filter → what yes keeps, and no.
        beside: collection with rows that a filter looks through → their field with the id of the record.
    """

    collections: tuple[str, ...]
    dates: Mapping[str, str] = field(default_factory=dict[str, str])
    amounts: Mapping[str, str] = field(default_factory=dict[str, str])
    values: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict[str, tuple[str, tuple[str, ...]]])
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: Mapping[str, tuple[Keeps, Keeps]] = field(default_factory=dict[str, tuple[Keeps, Keeps]])
    beside: Mapping[str, str] = field(default_factory=dict[str, str])


def _open(closed: str) -> tuple[Keeps, Keeps]:
    return (lambda record: record["status"] != closed), (lambda record: record["status"] == closed)


def _late(date: str, *never: str) -> tuple[Keeps, Keeps]:
    return (lambda record: record["status"] not in never and (record[date] or TODAY) < TODAY), (lambda _: True)


def _flag(path: str, absent: object = None) -> tuple[Keeps, Keeps]:
    return (lambda record: record.get(path, absent) is True), (lambda record: record.get(path, absent) is False)


ORDERED = {"ordered": "order_created_date"}
MONEY = {"total": "total"}
INGREDIENTS = ("PROCESSED", "IN_STOCK", "NOT_AVAILABLE", "EXPECTED", "NO_RECIPE", "NOT_APPLICABLE")
MOVED_BY = (
    *("Production", "ProductionIngredient", "PurchaseOrderRow", "PurchaseOrderRecipeRow", "SalesOrderRow"),
    *("ManufacturingOrder", "ManufacturingOrderRecipeRow", "StockAdjustmentRow", "StockTransferRow"),
    "SystemGenerated",
)
MEANT: dict[str, Meant] = {
    "list_sales_orders": Meant(
        collections=("sales_orders",),
        dates=ORDERED | {"delivery": "delivery_date", "picked": "picked_date"},
        amounts=MONEY,
        values={
            "status": (
                "status",
                (
                    *("PENDING", "NOT_SHIPPED", "READY_FOR_FULFILLMENT"),
                    *("PARTIALLY_PACKED", "PACKED", "PARTIALLY_DELIVERED", "DELIVERED"),
                ),
            ),
            "product_availability": (
                "product_availability",
                ("IN_STOCK", "EXPECTED", "PICKED", "NOT_AVAILABLE", "NOT_APPLICABLE"),
            ),
            "production_status": (
                "production_status",
                ("NOT_STARTED", "NONE", "NOT_APPLICABLE", "IN_PROGRESS", "BLOCKED", "DONE"),
            ),
            "invoicing_status": ("invoicing_status", ("notInvoiced", "partiallyInvoiced", "invoiced")),
        },
        names={
            "currency": "currency",
            "customer_id": "customer_id",
            "location_id": "location_id",
            "skus_or_variant_ids": "sales_order_rows[].variant_id",
        },
        flags={"open": _open("DELIVERED"), "overdue": _late("delivery_date", "DELIVERED", "PENDING")},
    ),
    "list_sales_returns": Meant(
        collections=("sales_returns",),
        beside={"sales_return_rows": "sales_return_id"},
        dates=ORDERED | {"returned": "return_date"},
        values={
            "status": ("status", ("NOT_RETURNED", "RETURNED_ALL", "RESTOCKED_ALL")),
            "refund_status": ("refund_status", ("NOT_REFUNDED", "REFUNDED", "PARTIALLY_REFUNDED")),
        },
        names={
            "sales_order_id": "sales_order_id",
            "customer_id": "customer_id",
            "return_location_id": "return_location_id",
            "skus_or_variant_ids": "sales_return_rows[].variant_id",
        },
        flags={"open": _open("RESTOCKED_ALL")},
    ),
    "list_purchase_orders": Meant(
        collections=("purchase_orders",),
        dates=ORDERED | {"arrival": "expected_arrival_date", "received": "purchase_order_rows[].received_date"},
        amounts=MONEY,
        values={
            "status": ("status", ("DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED")),
            "billing_status": ("billing_status", ("NOT_BILLED", "PARTIALLY_BILLED", "BILLED")),
            "entity_type": ("entity_type", ("regular", "outsourced")),
        },
        names={
            "currency": "currency",
            "supplier_id": "supplier_id",
            "location_id": "location_id",
            "skus_or_variant_ids": "purchase_order_rows[].variant_id",
        },
        flags={"open": _open("RECEIVED"), "overdue": _late("expected_arrival_date", "RECEIVED", "DRAFT")},
    ),
    "list_manufacturing_orders": Meant(
        collections=("manufacturing_orders",),
        beside={"manufacturing_order_recipe_rows": "manufacturing_order_id"},
        dates=ORDERED | {"deadline": "production_deadline_date", "done": "done_date"},
        values={
            "status": ("status", ("NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE")),
            "ingredient_availability": ("ingredient_availability", INGREDIENTS),
        },
        names={
            "location_id": "location_id",
            "sales_order_id": "sales_order_id",
            "skus_or_variant_ids": "variant_id",
            "ingredient_skus_or_variant_ids": "manufacturing_order_recipe_rows[].variant_id",
        },
        flags={
            "open": _open("DONE"),
            "overdue": _late("production_deadline_date", "DONE"),
            "make_to_order": _flag("is_linked_to_sales_order"),
        },
    ),
    "list_stock_transfers": Meant(
        collections=("stock_transfers",),
        dates={"transfer": "transfer_date", "arrival": "expected_arrival_date"},
        values={"status": ("status", ("draft", "inTransit", "received"))},
        names={
            "source_location_id": "source_location_id",
            "target_location_id": "target_location_id",
            "skus_or_variant_ids": "stock_transfer_rows[].variant_id",
        },
        flags={"open": _open("received"), "overdue": _late("expected_arrival_date", "received", "draft")},
    ),
    "list_stock_adjustments": Meant(
        collections=("stock_adjustments",),
        dates={"adjusted": "stock_adjustment_date"},
        texts={"reason": "reason"},
        names={"location_id": "location_id", "skus_or_variant_ids": "stock_adjustment_rows[].variant_id"},
    ),
    "list_stocktakes": Meant(
        collections=("stocktakes",),
        beside={"stocktake_rows": "stocktake_id"},
        dates={"completed": "completed_date"},
        values={"status": ("status", ("NOT_STARTED", "IN_PROGRESS", "COUNTED", "COMPLETED"))},
        texts={"stocktake_number": "stocktake_number"},
        names={"location_id": "location_id", "skus_or_variant_ids": "stocktake_rows[].variant_id"},
        flags={"open": _open("COMPLETED")},
    ),
    "list_customers": Meant(
        collections=("customers",),
        texts={name: name for name in ("name", "company", "email", "reference_id", "category")},
        names={"currency": "currency"},
    ),
    "list_items": Meant(
        collections=("products", "materials", "services"),
        texts={"name": "name", "category": "category_name"},
        values={"type": ("type", ("product", "material", "service"))},
        names={"supplier_id": "default_supplier_id"},
        flags={
            "sellable": _flag("is_sellable"),
            "producible": _flag("is_producible", absent=False),
            "purchasable": _flag("is_purchasable", absent=True),
            "batch_tracked": _flag("batch_tracked"),
        },
    ),
}
ALWAYS = {"created": "created_at", "updated": "updated_at"}
LISTED = {row["name"]: row["inputSchema"]["properties"] for row in catalogue()}


def _records(tenant: Tenant, meant: Meant) -> list[Wire]:
    """Return the records that the list shows when nothing is asked."""
    every = [record for name in meant.collections for record in tenant.all(name)]
    records = [record for record in every if not record["deleted_at"] and not record.get("archived_at")]
    for collection, link in meant.beside.items():
        rows = [record for record in tenant.all(collection) if not record.get("deleted_at")]
        records = [record | {collection: [row for row in rows if row[link] == record["id"]]} for record in records]
    return records


def _found(record: Wire, path: str) -> list[Any]:
    """Return what stands at a path, one value for each row where it leads through rows."""
    rows, _, name = path.rpartition("[].")
    return [value for row in (record[rows] if rows else [record]) if (value := row.get(name)) is not None]


def _day(path: str, place: int) -> str | None:
    at = datetime(2026, 3, 2, tzinfo=UTC) + timedelta(days=2 - place, seconds=len(path))
    return None if path in OFTEN_EMPTY and place % 4 == 1 else f"{at:%Y-%m-%dT%H:%M:%S}.000Z"


def _columns(meant: Meant) -> Iterator[tuple[str, Callable[[int], object]]]:
    """Yield each field that is looked at, and what stands in it at a place."""
    for path in (*ALWAYS.values(), *meant.dates.values()):
        yield path, partial(_day, path)
    for path in (*meant.amounts.values(), *(["total_in_base_currency"] if meant.amounts else [])):
        yield path, lambda place: 100 + place * 7
    for path, values in meant.values.values():
        yield path, lambda place, choices=values: choices[place % len(choices)]
    for path in meant.texts.values():
        yield path, lambda place, start=path: f"{start} {place // SEVERAL}"


def _spread(tenant: Tenant, meant: Meant) -> None:
    """Give every field that is looked at values of its own, so that no two fields keep the same records."""
    fields: dict[tuple[str, int], Wire] = {
        (name, record["id"]): {} for name in meant.collections for record in tenant.all(name)
    }
    own = random.Random(7)
    for path, value in _columns(meant):
        if "[]" not in path and path != "type":
            for place, key in enumerate(own.sample(sorted(fields), len(fields))):
                fields[key][path] = value(place)
    for (collection, id), changed in fields.items():
        tenant.edit(collection, id, bump=False, **changed)


def _asked(meant: Meant, records: list[Wire]) -> list[tuple[str, object, Keeps]]:
    """Return each filter with a value, and which records it keeps."""
    asked: list[tuple[str, object, Keeps]] = []
    for start, path in {**ALWAYS, **meant.dates}.items():
        times = sorted(value for record in records for value in _found(record, path))
        bound = times[len(times) // 3]
        asked.append((f"{start}_from", bound, lambda record, p=path, b=bound: any(v >= b for v in _found(record, p))))
        asked.append((f"{start}_to", bound, lambda record, p=path, b=bound: any(v <= b for v in _found(record, p))))
    for start, path in meant.amounts.items():
        bound = sorted(Decimal(str(record[path])) for record in records)[len(records) // 3]
        asked.append((f"{start}_min", float(bound), lambda record, p=path, b=bound: Decimal(str(record[p])) >= b))
        asked.append((f"{start}_max", float(bound), lambda record, p=path, b=bound: Decimal(str(record[p])) <= b))
    for name, (path, values) in meant.values.items():
        asked += [(name, value, lambda record, p=path, v=value: record[p] == v) for value in values]
    for name, path in {**meant.texts, **meant.names}.items():
        texts = [value for record in records for value in _found(record, path)]
        for value in sorted({texts[0], texts[-1]}):
            asked.append((name, value, lambda record, p=path, v=value: v in _found(record, p)))
    for name, (yes, no) in meant.flags.items():
        asked += [(name, True, yes), (name, False, no)]
    return asked


def _shown(row: Wire) -> tuple[str, int]:
    """Return which record a row of a list shows."""
    kind = row.get("item_type", "")
    return kind, next(row[name] for name in row if name.endswith("_id"))


def _key(record: Wire, meant: Meant) -> tuple[str, int]:
    return record["type"] if len(meant.collections) > 1 else "", record["id"]


def _offered(schema: Wire) -> set[str]:
    values = schema.get("items", schema)
    return set(values.get("enum", values.get("examples", ())))


def test_every_filter_and_every_value_that_katana_sends_is_named_here() -> None:
    assert set(MEANT) == {name for name in LISTED if "order_by" in LISTED[name]}
    for tool, meant in MEANT.items():
        ranged = {f"{start}_{end}" for start in (*ALWAYS, *meant.dates) for end in ("from", "to")}
        ranged |= {f"{start}_{end}" for start in meant.amounts for end in ("min", "max")}
        named = {*ranged, *meant.values, *meant.texts, *meant.names, *meant.flags}
        assert named == set(LISTED[tool]) - WINDOW - CUSTOM, tool
        for name, (_, values) in meant.values.items():
            assert _offered(LISTED[tool][name]) == set(values), (tool, name)


@pytest.mark.parametrize("tool", MEANT)
async def test_each_filter_keeps_what_it_names_and_each_sort_key_sorts(stage: Stage, tenant: Tenant, tool: str) -> None:
    meant = MEANT[tool]
    _spread(tenant, meant)
    records = _records(tenant, meant)
    for name, value, keeps in _asked(meant, records):
        answer = await stage.call(
            tool, limit=PAGE, **{name: [value] if name.endswith("skus_or_variant_ids") else value}
        )
        expected = {_key(record, meant) for record in records if keeps(record)}
        shown = {_shown(row) for row in answer["rows"]}
        assert shown <= expected, (name, value)
        assert answer["total"] == len(expected) > 0, (name, value)
        assert len(shown) == min(len(expected), PAGE), (name, value)
    by_key = {_key(record, meant): record for record in records}
    for key in sorted(_offered(LISTED[tool]["order_by"])):
        path = key.removeprefix("-")
        rows = (await stage.call(tool, limit=PAGE, order_by=key))["rows"]
        ordered = sorted((record[path] for record in records if record[path] is not None), reverse=key != path)
        expected = [*ordered, *[None] * (len(records) - len(ordered))]
        assert [by_key[_shown(row)][path] for row in rows] == expected[:PAGE], key
        assert len(rows) > SEVERAL, key


def _others() -> set[tuple[str, str]]:
    """Return the parameters with fixed values outside of the lists above."""
    return {
        (tool, name)
        for tool, parameters in LISTED.items()
        for name, schema in parameters.items()
        if tool not in {*MEANT, *PLANS} and _offered(schema)
    }


def _moved_by_all(body: object) -> Wire:
    rows = cast("Wire", body)["data"]
    return {"data": [row | {"resource_type": MOVED_BY[row["id"] % len(MOVED_BY)]} for row in rows]}


def _named_alike(tenant: Tenant, batch: str) -> str:
    """Give an order of each kind and a unit the number of a batch."""
    for collection in ("purchase_orders", "sales_orders", "manufacturing_orders"):
        tenant.edit(collection, next(tenant.all(collection))["id"], order_no=batch)
    row = next(row for row in tenant.all("purchase_order_rows") if row["received_date"])
    named = {"resource_type": "PurchaseOrderRow", "resource_id": row["id"], "serial_numbers": [batch]}
    tenant.create("serial_numbers", named)
    return batch


@pytest.mark.cold
async def test_every_value_offered_outside_of_lists_finds_something(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    stage.own.sandbox.faults.add(Fault("GET /inventory_movements", action=EditBody(_moved_by_all), times=None))
    moved = list(tenant.all("inventory_movements"))[:100]
    bom = next(tenant.all("bom_rows"))
    shared = min(
        set.intersection(*({record["id"] for record in tenant.all(name)} for name in MEANT["list_items"].collections))
    )
    traced = [next(tenant.all("batches"))["variant_id"]]
    traced += [
        purchase_order_row["variant_id"]
        for purchase_order_row in tenant.all("purchase_order_rows")
        if purchase_order_row.get("traceability")
    ]
    chain = [bom["product_variant_id"], bom["ingredient_variant_id"]]
    made = next(tenant.all("manufacturing_order_productions"))["manufacturing_order_id"]
    everything = _named_alike(tenant, "B-LATE")
    asked: dict[tuple[str, str], tuple[Wire, str]] = {
        ("trace", "kind"): ({"number": everything}, "kind"),
        ("trace", "direction"): ({"number": everything, "kind": "batch"}, "lots"),
        ("get_inventory_movements", "resource_type"): (
            {"skus_or_variant_ids": sorted({record["variant_id"] for record in moved})},
            "rows",
        ),
        ("list_low_stock_items", "item_type"): ({}, "rows"),
        ("get_item", "item_type"): ({"item_id": shared}, "item"),
        ("get_bom", "direction"): ({"skus_or_variant_ids": chain}, "rows"),
        ("list_reference", "kind"): ({}, "rows"),
        ("list_inventory_signals", "demand_window"): ({}, "rows"),
        ("list_inventory_signals", "stock_risk"): ({}, "rows"),
        ("list_traceability", "kind"): ({"skus_or_variant_ids": traced}, "rows"),
        ("search_items", "type"): ({"query": "s"}, "rows"),
        ("verify_order_document", "kind"): (verified(tenant)["verify_order_document"].arguments, "goods"),
        ("get_manufacturing_order", "include"): ({"manufacturing_order_id": made}, "order"),
        ("order_readiness", "state"): ({}, "rows"),
    }
    assert set(asked) == _others()
    for (tool, name), (arguments, holds) in asked.items():
        several = LISTED[tool][name]["type"] == "array"
        clock.advance(A_MINUTE)
        for value in sorted(_offered(LISTED[tool][name])):
            answer = await stage.call(tool, **arguments, **{name: [value] if several else value})
            assert answer[holds], (tool, name, value)
            shown = {row[name] for row in answer["rows"] if name in row} if holds == "rows" else set[object]()
            assert shown <= {value}, (tool, name, shown)
