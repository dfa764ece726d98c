"""Operations of a product through `modify_bom`: added, changed, deleted, copied, with the recipe, refused, lost."""

from typing import Any

import pytest
from journal_plans import hasty
from server_wire import Wire
from test_manufacturing_order_writes import applied

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Drop, EditBody, Fault, ManualClock, Status, Tenant

TOOL, ROWS = "modify_bom", "product_operation_rows"
WELDING = {"operation_name": "Welding", "resource_name": "Weld bay", "planned_time_parameter": 300}
PAINTING = {"operation_name": "Painting", "type": "perUnit", "cost_parameter": 4.5}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _product(tenant: Tenant, *skus: str) -> list[int]:
    options = [{"name": "Size", "values": [*skus]}]
    variants = [{"sku": sku, "config_attributes": [{"config_name": "Size", "config_value": sku}]} for sku in skus]
    body = {"name": f"Product {skus[0]}", "uom": "pcs", "configs": options, "variants": variants}
    return [variant["id"] for variant in tenant.create("products", {**body, "is_producible": True})["variants"]]


def _worked(tenant: Tenant, sku: str, *rows: dict[str, Any]) -> int:
    """Return the variant of a new product with these operations."""
    (variant,) = _product(tenant, sku)
    tenant.create(ROWS, {"keep_current_rows": True, "rows": [{"product_variant_id": variant, **row} for row in rows]})
    return variant


@pytest.fixture
def frame(tenant: Tenant) -> int:
    return _worked(tenant, "FRAME-1", WELDING, PAINTING)


def _held(tenant: Tenant, variant: int) -> list[Wire]:
    found = [row for row in tenant.all(ROWS) if row["product_variant_id"] == variant]
    return sorted(found, key=lambda row: -row["rank"])


def _said(tenant: Tenant, variant: int) -> list[tuple[Any, ...]]:
    names = ("operation_name", "resource_name", "type", "planned_time_parameter", "cost_parameter")
    return [tuple(None if row[name] is None else str(row[name]) for name in names) for row in _held(tenant, variant)]


def _key(tenant: Tenant, variant: int, place: int = 0) -> int:
    return int(_held(tenant, variant)[place]["product_operation_row_id"])


async def _asked(stage: Stage, clock: ManualClock, **asked: object) -> Payload:
    clock.advance(61)
    return payload_of(await stage.result(TOOL, asked))


def _against(preview: Payload) -> list[tuple[str, str | None]]:
    assert "plan_token" not in preview, preview
    return [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]


async def test_operations_are_changed_deleted_and_added_at_the_end(
    stage: Stage, clock: ManualClock, tenant: Tenant, frame: int
) -> None:
    first, second = _key(tenant, frame), _key(tenant, frame, 1)
    preview = await _asked(
        stage,
        clock,
        sku_or_variant_id="FRAME-1",
        update_operation_rows=[{"row_id": first, "planned_time_parameter": 420, "resource_name": "Weld bay"}],
        delete_operation_row_ids=[second],
        add_operation_rows=[{"operation_name": "Powder coating", "type": "per unit", "cost_parameter": 6}],
    )
    assert [(line.get("change"), line["name"]) for line in preview["lines"]] == [
        ("update", "Welding at Weld bay (process, 420 s)"),
        ("delete", "Painting (perUnit, cost 4.5)"),
        ("add", "Powder coating (perUnit, cost 6)"),
    ]
    change = {"field": f"operation {first}: planned_time_parameter", "old": "300", "new": "420"}
    assert preview["changes"] == [change], "the same work station changes nothing"
    assert [(request["method"], request["path"]) for request in preview["requests"]] == [
        ("PATCH", f"/{ROWS}/{first}"),
        ("DELETE", f"/{ROWS}/{second}"),
        ("POST", f"/{ROWS}"),
    ]
    assert [warning["code"] for warning in preview["warnings"]] == ["no_way_back"]
    outcome = await applied(stage, clock, preview)
    assert (outcome["applied"], outcome.get("revert")) == (3, None)
    assert _said(tenant, frame) == [
        ("Welding", "Weld bay", "process", "420", None),
        ("Powder coating", None, "perUnit", None, "6"),
    ]


async def test_what_is_changed_has_a_way_back(stage: Stage, clock: ManualClock, tenant: Tenant, frame: int) -> None:
    before, first = _said(tenant, frame), _key(tenant, frame)
    rows = [{"operation_row_id": first, "operation_name": "Brazing", "planned_time_parameter": 60}]
    preview = await _asked(stage, clock, sku_or_variant_id=frame, update_operation_rows=rows)
    outcome = await applied(stage, clock, preview)
    assert _said(tenant, frame)[0][:4] == ("Brazing", "Weld bay", "process", "60")
    clock.advance(61)
    back = payload_of(await stage.result(outcome["revert"]["tool"], outcome["revert"]["arguments"]))
    await applied(stage, clock, back)
    assert _said(tenant, frame) == before
    unset = await _asked(
        stage, clock, sku_or_variant_id=frame, update_operation_rows=[{"row_id": first, "cost_parameter": 3}]
    )
    assert [warning["code"] for warning in unset["warnings"]] == ["no_way_back"], "nothing makes it unset again"


async def test_recipe_and_operations_change_in_one_plan_and_go_back_in_one(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made = {row["product_variant_id"] for row in tenant.all("bom_rows")}
    variant = next(row["product_variant_id"] for row in tenant.all(ROWS) if row["product_variant_id"] in made)
    ingredient = next(row for row in tenant.all("bom_rows") if row["product_variant_id"] == variant)
    before = (_said(tenant, variant), str(ingredient["quantity"]))
    preview = await _asked(
        stage,
        clock,
        sku_or_variant_id=variant,
        update_rows=[{"row_id": ingredient["id"], "quantity": 77}],
        update_operation_rows=[{"operation_row_id": _key(tenant, variant), "operation_name": "By hand"}],
    )
    assert [request["path"].split("/")[1] for request in preview["requests"]] == ["bom_rows", ROWS]
    outcome = await applied(stage, clock, preview)
    assert (_said(tenant, variant)[0][0], float(tenant.get("bom_rows", ingredient["id"])["quantity"])) == (
        "By hand",
        77,
    )
    clock.advance(61)
    back = payload_of(await stage.result(outcome["revert"]["tool"], outcome["revert"]["arguments"]))
    await applied(stage, clock, back)
    assert (_said(tenant, variant), str(tenant.get("bom_rows", ingredient["id"])["quantity"])) == before


async def test_a_way_back_names_only_what_was_written(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    variant = next(row["product_variant_id"] for row in tenant.all("bom_rows"))
    ingredient = next(row for row in tenant.all("bom_rows") if row["product_variant_id"] == variant)
    preview = await _asked(
        stage,
        clock,
        sku_or_variant_id=variant,
        update_rows=[{"row_id": ingredient["id"], "quantity": 77}],
        update_operation_rows=[{"operation_row_id": _key(tenant, variant), "operation_name": "By hand"}],
    )
    stage.own.sandbox.faults.add(Fault(f"PATCH /{ROWS}/*", action=Status(422)))
    outcome = await applied(stage, clock, preview)
    assert outcome["applied"] == 1
    arguments = outcome["revert"]["arguments"]
    assert (len(arguments["update_rows"]), arguments["update_operation_rows"]) == (1, [])


async def test_operations_of_another_product_are_copied(
    stage: Stage, clock: ManualClock, tenant: Tenant, frame: int
) -> None:
    fork = _worked(tenant, "FORK-1", {"operation_name": "Turning", "planned_time_parameter": 30})
    preview = await _asked(stage, clock, sku_or_variant_id="FORK-1", copy_operations_of="FRAME-1")
    assert [line.get("change") for line in preview["lines"]] == [None, "add", "add"]
    await applied(stage, clock, preview)
    assert _said(tenant, fork)[1:] == _said(tenant, frame)
    assert [row["operation_id"] for row in _held(tenant, fork)][1:] == [
        row["operation_id"] for row in _held(tenant, frame)
    ]


async def test_the_product_alone_shows_its_recipe_and_its_operations(
    stage: Stage, clock: ManualClock, tenant: Tenant, frame: int
) -> None:
    preview = await _asked(stage, clock, sku_or_variant_id="FRAME-1")
    assert _against(preview) == [("no_effective_change", None)]
    assert "no change was given: name what to change in" in preview["message"]
    assert [line["row_id"] for line in preview["lines"]] == [
        record["product_operation_row_id"] for record in _held(tenant, frame)
    ]


async def test_what_does_not_fit_is_refused(stage: Stage, clock: ManualClock, tenant: Tenant, frame: int) -> None:
    body = {"name": "Paint", "uom": "l", "variants": [{"sku": "PAINT-1"}]}
    tenant.create("materials", body)
    _product(tenant, "BARE-1")
    key = _key(tenant, frame)
    twice = [{"operation_row_id": key, "operation_name": "A"}, {"operation_row_id": key, "operation_name": "B"}]
    cases: list[tuple[dict[str, Any], list[tuple[str, str | None]]]] = [
        ({"sku_or_variant_id": "NO-1", "add_operation_rows": [WELDING]}, [("not_found", "sku_or_variant_id")]),
        ({"sku_or_variant_id": "PAINT-1", "add_operation_rows": [WELDING]}, [("not_producible", "sku_or_variant_id")]),
        (
            {"sku_or_variant_id": "PAINT-1", "add_operation_rows": [WELDING], "delete_row_ids": ["x"]},
            [("unknown_row_id", "delete_row_ids[0]"), ("not_producible", "sku_or_variant_id")],
        ),
        ({"copy_operations_of": "BARE-1"}, [("no_effective_change", "copy_operations_of")]),
        ({"copy_operations_of": "FRAME-1"}, [("no_effective_change", "copy_operations_of")]),
        ({"copy_operations_of": "NO-1"}, [("not_found", "copy_operations_of")]),
        ({"delete_operation_row_ids": [7]}, [("unknown_row_id", "delete_operation_row_ids[0]")]),
        ({"update_operation_rows": twice}, [("duplicate_row_overrides", "update_operation_rows[1]")]),
        (
            {"update_operation_rows": twice[:1], "delete_operation_row_ids": [key]},
            [("duplicate_row_overrides", "delete_operation_row_ids[0]")],
        ),
        (
            {"update_operation_rows": [{"operation_row_id": key, "operation_name": "Welding"}]},
            [("no_effective_change", None)],
        ),
    ]
    for asked, expected in cases:
        assert _against(await _asked(stage, clock, **{"sku_or_variant_id": "FRAME-1", **asked})) == expected, asked


async def test_an_operation_of_several_variants_says_which_others_it_changes(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    small, large = _product(tenant, "FORK-S", "FORK-L")
    tenant.create(ROWS, {"keep_current_rows": True, "rows": [{"product_variant_id": small, **WELDING}]})
    shown = {**_held(tenant, small)[0], "product_variant_id": large}
    key = int(shown["product_operation_row_id"])
    tenant.insert_raw(ROWS, {**shown, "id": key + 1, "product_operation_row_id": key + 1})
    stage.own.sandbox.faults.add(Fault(f"GET /{ROWS}", action=_with_the_same_id(key, key + 1), times=None))
    preview = await _asked(stage, clock, sku_or_variant_id="FORK-S", delete_operation_row_ids=[key])
    messages = [warning["message"] for warning in preview["warnings"] if warning["code"] == "in_use"]
    assert messages == [f"delete_operation_row_ids[0]: operation {key} is also one of FORK-L: it changes there too"]


def _with_the_same_id(first: int, second: int) -> EditBody:
    """Return what gives two rows of an answer one id, as Katana lists an operation of several variants."""

    def one(body: Any) -> Any:  # noqa: ANN401 - JSON
        for row in body["data"]:
            key = row["product_operation_row_id"]
            row["product_operation_row_id"] = first if key == second else key
        return body

    return EditBody(one)


LOST = [
    Fault(request, action=lost)
    for lost in (Drop("before"), Drop("after"))
    for request in (f"POST /{ROWS}", f"PATCH /{ROWS}/*", f"DELETE /{ROWS}/*")
]


@pytest.mark.parametrize("fault", LOST, ids=str)
async def test_a_lost_answer_is_looked_up_and_nothing_is_sent_twice(
    stage: Stage, clock: ManualClock, tenant: Tenant, frame: int, fault: Fault
) -> None:
    preview = await _asked(
        stage,
        clock,
        sku_or_variant_id=frame,
        update_operation_rows=[{"operation_row_id": _key(tenant, frame), "planned_time_parameter": 7}],
        delete_operation_row_ids=[_key(tenant, frame, 1)],
        add_operation_rows=[WELDING, WELDING],
    )
    stage.own.sandbox.faults.add(fault)
    outcome = await applied(stage, clock, preview)
    states = [action["state"] for action in outcome["actions"]]
    is_told = fault.action == Drop("after") and "DELETE" not in str(fault)
    assert states.count("unknown") == (0 if is_told else 1), "of what is deleted Katana shows no trace"
    assert [entry.method for entry in stage.own.sandbox.journal if entry.path.endswith(ROWS)].count("POST") <= 1
    new = [row for row in _held(tenant, frame) if row["operation_name"] == "Welding"][1:]
    assert len(new) == (2 if states[2] == "applied" else 0)


async def test_a_plan_is_stale_once_an_operation_is_another(
    stage: Stage, clock: ManualClock, tenant: Tenant, frame: int
) -> None:
    key = _key(tenant, frame)
    rows = [{"operation_row_id": key, "planned_time_parameter": 7}]
    preview = await _asked(stage, clock, sku_or_variant_id=frame, update_operation_rows=rows)
    tenant.edit(ROWS, key, operation_name="Gluing")
    clock.advance(61)
    asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
    assert payload_of(await within(clock, 300, asked))["error"] == "stale_plan"


async def test_katana_that_does_not_answer_is_said(stage: Stage, clock: ManualClock, frame: int) -> None:
    stage.own.sandbox.faults.add(Fault(f"GET /{ROWS}", action=Status(503), times=None))
    clock.advance(61)
    asked = stage.result(TOOL, {"sku_or_variant_id": frame, "delete_operation_row_ids": [1]})
    answer = payload_of(await within(clock, 60, asked))
    assert answer["error"] == "katana_unavailable"


async def test_an_operation_that_stays_stops_no_change_of_the_recipe(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made = {row["product_variant_id"] for row in tenant.all("bom_rows")}
    row = next(row for row in tenant.all(ROWS) if row["product_variant_id"] in made)
    ingredient = next(
        record for record in tenant.all("bom_rows") if record["product_variant_id"] == row["product_variant_id"]
    )
    same = {"operation_row_id": row["product_operation_row_id"], "operation_name": row["operation_name"]}
    preview = await _asked(
        stage,
        clock,
        sku_or_variant_id=row["product_variant_id"],
        update_rows=[{"row_id": ingredient["id"], "quantity": 77}],
        update_operation_rows=[same],
    )
    assert [request["path"].split("/")[1] for request in preview["requests"]] == ["bom_rows"]
    assert "plan_token" in preview


@pytest.mark.parametrize(("lost", "state"), [(Drop("before"), "unknown"), (Drop("after"), "applied")], ids=str)
@pytest.mark.usefixtures("frame")
async def test_an_operation_that_was_there_before_is_not_taken_for_the_one_whose_answer_was_lost(
    stage: Stage, clock: ManualClock, lost: Drop, state: str
) -> None:
    preview = await _asked(stage, clock, sku_or_variant_id="FRAME-1", add_operation_rows=[PAINTING])
    stage.own.sandbox.faults.add(Fault(f"POST /{ROWS}", action=lost))
    outcome = await applied(stage, clock, preview)
    assert [action["state"] for action in outcome["actions"]] == [state]
