"""Bills of materials through a server: changed, copied, taken back, one ingredient replaced, and what is refused."""

from typing import Any

import pytest
from journal_plans import hasty
from server_wire import Wire, live
from test_manufacturing_order_writes import applied

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Drop, Fault, ManualClock, Mutate, ReplicaLag, Tenant

BOM = "bom_rows"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _material(tenant: Tenant, sku: str, uom: str = "pcs") -> int:
    body = {"name": f"Material {sku}", "uom": uom, "variants": [{"sku": sku}]}
    return tenant.create("materials", body)["variants"][0]["id"]


def _product(tenant: Tenant, sku: str, *used: int) -> int:
    body = {"name": f"Product {sku}", "uom": "pcs", "is_producible": True, "variants": [{"sku": sku}]}
    product = tenant.create("products", body)
    variant = product["variants"][0]["id"]
    named = {"product_variant_id": variant, "product_item_id": product["id"]}
    for number in used:
        tenant.create(BOM, {**named, "ingredient_variant_id": number, "quantity": 2, "notes": "as drawn"})
    return variant


def _rows(tenant: Tenant, variant: int) -> list[Wire]:
    return [row for row in tenant.all(BOM) if row["product_variant_id"] == variant]


def _made_of(tenant: Tenant, variant: int) -> list[tuple[int, float, str | None]]:
    return [(row["ingredient_variant_id"], float(row["quantity"]), row["notes"]) for row in _rows(tenant, variant)]


def _codes(preview: Payload, severity: str = "blocking") -> dict[str, str | None]:
    return {
        warning["code"]: warning["field_path"] for warning in preview["warnings"] if warning["severity"] == severity
    }


async def _asked(stage: Stage, clock: ManualClock, tool: str, **asked: object) -> Payload:
    clock.advance(61)
    return payload_of(await stage.result(tool, asked))


async def test_rows_are_changed_read_at_once_and_taken_back(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    bolt, nut, washer = (_material(tenant, sku) for sku in ("BOLT-1", "NUT-1", "WASHER-1"))
    frame = _product(tenant, "FRAME-1", bolt, nut)
    before = _made_of(tenant, frame)
    first, second = (row["id"] for row in _rows(tenant, frame))
    preview = await _asked(
        stage,
        clock,
        "modify_bom",
        sku_or_variant_id="FRAME-1",
        add_rows=[{"sku_or_variant_id": "WASHER-1", "quantity": 4, "notes": "steel"}],
        update_rows=[{"bom_row_id": first, "quantity": 3}],
        delete_row_ids=[second],
    )
    assert [(line.get("change"), line["sku"], line["quantity"]) for line in preview["lines"]] == [
        ("update", "BOLT-1", 3),
        ("add", "WASHER-1", 4),
        ("delete", "NUT-1", 2),
    ]
    outcome = await applied(stage, clock, preview)
    assert _made_of(tenant, frame) == [(bolt, 3, "as drawn"), (washer, 4, "steel")]
    shown = (await stage.call("get_bom", skus_or_variant_ids=["FRAME-1"], levels=1))["rows"]
    assert [(row["sku"], row.get("quantity")) for row in shown] == [("FRAME-1", None), ("BOLT-1", 3), ("WASHER-1", 4)]
    back = await _asked(stage, clock, outcome["revert"]["tool"], **outcome["revert"]["arguments"])
    await applied(stage, clock, back)
    assert sorted(_made_of(tenant, frame)) == sorted(before)


async def test_a_row_of_nothing_is_told_and_not_refused(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    bolt = _material(tenant, "BOLT-0")
    _material(tenant, "NUT-0")
    wheel = _product(tenant, "WHEEL-0", bolt)
    row = {"row_id": _rows(tenant, wheel)[0]["id"], "quantity": 0}
    new = {"sku_or_variant_id": "NUT-0", "quantity": 0}
    preview = await _asked(stage, clock, "modify_bom", sku_or_variant_id="WHEEL-0", add_rows=[new], update_rows=[row])
    assert [
        (warning["severity"], warning["field_path"]) for warning in preview["warnings"] if "is 0" in warning["message"]
    ] == [("advisory", "add_rows[0].quantity"), ("advisory", "update_rows[0].quantity")]
    assert "plan_token" in preview


async def test_a_copy_leaves_out_what_is_there_and_circles_services_and_units_are_refused(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    bolt, nut = _material(tenant, "BOLT-2"), _material(tenant, "NUT-2")
    _material(tenant, "GLUE-2", "kg")
    wheel = _product(tenant, "WHEEL-2", bolt, nut)
    cart = _product(tenant, "CART-2", bolt, wheel)
    train = _product(tenant, "TRAIN-2", cart)
    copy = await _asked(stage, clock, "modify_bom", sku_or_variant_id="TRAIN-2", copy_of="WHEEL-2")
    partly = await _asked(stage, clock, "modify_bom", sku_or_variant_id="CART-2", copy_of="WHEEL-2")
    assert partly["warnings"][0]["message"] == "copy_of: left out, because the product already has them: BOLT-2"
    assert [line["sku"] for line in partly["lines"] if line.get("change") == "add"] == ["NUT-2"]
    await applied(stage, clock, copy)
    assert _made_of(tenant, train) == [(cart, 2, "as drawn"), (bolt, 2, "as drawn"), (nut, 2, "as drawn")]
    service = live(tenant, "services")[0]["variants"][0]["id"]
    row = _rows(tenant, wheel)[0]["id"]
    wrong: list[tuple[str, dict[str, Any], str, str]] = [
        ("WHEEL-2", {"add_rows": [{"sku_or_variant_id": "TRAIN-2", "quantity": 1}]}, "circular_bom", "add_rows[0]"),
        ("WHEEL-2", {"add_rows": [{"sku_or_variant_id": "WHEEL-2", "quantity": 1}]}, "circular_bom", "add_rows[0]"),
        (
            "WHEEL-2",
            {"update_rows": [{"row_id": row, "sku_or_variant_id": "CART-2"}]},
            "circular_bom",
            "update_rows[0]",
        ),
        ("WHEEL-2", {"add_rows": [{"sku_or_variant_id": service, "quantity": 1}]}, "not_an_ingredient", "add_rows[0]"),
    ]
    for sku, asked, code, path in wrong:
        refused = await _asked(stage, clock, "modify_bom", sku_or_variant_id=sku, **asked)
        assert _codes(refused) == {code: f"{path}.sku_or_variant_id"}, refused
    other = {"row_id": row, "sku_or_variant_id": "GLUE-2"}
    refused = await _asked(stage, clock, "modify_bom", sku_or_variant_id="WHEEL-2", update_rows=[other])
    assert _codes(refused) == {"unit_mismatch": "update_rows[0].quantity"}
    for asked in ({"sku_or_variant_id": "BOLT-2"}, {"sku_or_variant_id": service}):
        refused = await _asked(
            stage, clock, "modify_bom", **asked, add_rows=[{"sku_or_variant_id": "NUT-2", "quantity": 1}]
        )
        assert _codes(refused) == {"not_producible": "sku_or_variant_id"}


async def test_an_ingredient_is_replaced_wherever_it_is_used_as_far_as_a_plan_goes_and_taken_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    old, new, glue = _material(tenant, "OLD-3"), _material(tenant, "NEW-3"), _material(tenant, "GLUE-3", "kg")
    made = [_product(tenant, f"MADE-{nr:02}", old) for nr in range(32)]
    with_both = _product(tenant, "BOTH-3", old, new)
    preview = await _asked(stage, clock, "replace_ingredient", old="OLD-3", new="NEW-3")
    assert (len(preview["lines"]), len(preview["requests"]), preview["rows_left"]) == (30, 30, 3)
    assert (preview["lines"][0]["sku"], preview["lines"][0]["quantity"]) == ("MADE-00", 2)
    assert "truncated_result" in _codes(preview, "advisory")
    first = await applied(stage, clock, preview)
    assert sum(_made_of(tenant, number) == [(new, 2, "as drawn")] for number in made) == 30
    rest = await _asked(stage, clock, "replace_ingredient", old="OLD-3", new="NEW-3")
    assert [line["sku"] for line in rest["lines"]] == ["MADE-30", "MADE-31", "BOTH-3"]
    assert _codes(rest, "advisory") == {"duplicate_row": "new"}
    second = await applied(stage, clock, rest)
    for outcome in (second, first):
        clock.advance(61)
        back = await _asked(stage, clock, outcome["revert"]["tool"], **outcome["revert"]["arguments"])
        await applied(stage, clock, back)
    assert [_made_of(tenant, number) for number in made] == [[(old, 2, "as drawn")]] * 32
    assert _made_of(tenant, with_both) == [(old, 2, "as drawn"), (new, 2, "as drawn")]
    refused = await _asked(stage, clock, "replace_ingredient", old="OLD-3", new="GLUE-3")
    assert _codes(refused) == {"unit_mismatch": "quantity_factor"}
    key = _rows(tenant, made[0])[0]["id"]
    part = await _asked(
        stage, clock, "replace_ingredient", old="OLD-3", new="GLUE-3", quantity_factor=0.25, row_ids=[key]
    )
    assert _codes(part, "advisory") == {"no_way_back": None}
    await applied(stage, clock, part)
    assert _made_of(tenant, made[0]) == [(glue, 0.5, "as drawn")]
    refused = await _asked(stage, clock, "replace_ingredient", old="OLD-3", new="MADE-01")
    assert _codes(refused) == {"circular_bom": "new"}
    refused = await _asked(stage, clock, "replace_ingredient", old="OLD-3", new="NEW-3", row_ids=[key])
    assert _codes(refused) == {"unknown_row_id": "row_ids[0]"}


@pytest.mark.parametrize("status", [404, 500])
async def test_a_row_that_somebody_deletes_stops_the_plan_or_its_change_and_is_never_taken_for_changed(
    stage: Stage, clock: ManualClock, tenant: Tenant, status: int
) -> None:
    stage.own.sandbox.switches.set("bom_row_missing", status)
    bolt = _material(tenant, "BOLT-4")
    frame = _product(tenant, "FRAME-4", bolt)
    row = _rows(tenant, frame)[0]["id"]
    asked = {"sku_or_variant_id": "FRAME-4", "update_rows": [{"row_id": row, "quantity": 3}]}
    preview = await _asked(stage, clock, "modify_bom", **asked)
    goes = Mutate(change=lambda _: tenant.delete(BOM, row))
    stage.own.sandbox.faults.add(Fault("PATCH /bom_rows/*", action=goes))
    (action,) = (await applied(stage, clock, preview))["actions"]
    assert (action["state"], action["id"]) == ({404: "failed", 500: "unknown"}[status], row)
    assert _codes(await _asked(stage, clock, "modify_bom", **asked)) == {"unknown_row_id": "update_rows[0].row_id"}


async def test_a_lost_answer_is_found_by_the_row_and_a_row_that_goes_is_not_guessed(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    bolt, nut = _material(tenant, "BOLT-5"), _material(tenant, "NUT-5")
    frame = _product(tenant, "FRAME-5", bolt)
    row = _rows(tenant, frame)[0]["id"]
    named = {"sku_or_variant_id": "FRAME-5"}
    add = [{"sku_or_variant_id": "NUT-5", "quantity": 1}]
    preview = await _asked(
        stage, clock, "modify_bom", **named, add_rows=add, update_rows=[{"row_id": row, "quantity": 3}]
    )
    stage.own.sandbox.faults.add(*(Fault(f"{method} /bom_rows*", action=Drop("after")) for method in ("PATCH", "POST")))
    assert [action["state"] for action in (await applied(stage, clock, preview))["actions"]] == ["applied"] * 2
    assert [line[0] for line in _made_of(tenant, frame)] == [bolt, nut]
    preview = await _asked(stage, clock, "modify_bom", **named, delete_row_ids=[row])
    stage.own.sandbox.faults.add(Fault("DELETE /bom_rows/*", action=Drop("after")))
    assert [action["state"] for action in (await applied(stage, clock, preview))["actions"]] == ["unknown"]


async def test_a_row_that_we_added_is_changed_though_katana_does_not_list_it_yet(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _material(tenant, "BOLT-6")
    frame = _product(tenant, "FRAME-6")
    clock.advance(700)
    stage.own.sandbox.faults.add(Fault("GET *", action=ReplicaLag(600), times=None))
    add = [{"sku_or_variant_id": "BOLT-6", "quantity": 1}]
    made = await applied(stage, clock, await _asked(stage, clock, "modify_bom", sku_or_variant_id=frame, add_rows=add))
    update = [{"row_id": made["actions"][0]["id"], "quantity": 3}]
    await applied(stage, clock, await _asked(stage, clock, "modify_bom", sku_or_variant_id=frame, update_rows=update))
    assert [quantity for _, quantity, _ in _made_of(tenant, frame)] == [3]
