"""`trace`: where a batch, a serial number or what an order holds came from and went."""

from typing import cast

import pytest
from recall_floor import Floor, Recall, Wire, recall
from sql_count import counted, warm_cost

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged
from katana_sandbox import Fault, ManualClock, Sandbox, Status, Tenant
from katana_sandbox.faults.actions import EditBody

type Row = tuple[object, ...]


def a_minute_later(stage: Stage) -> None:
    clock = stage.own.sandbox.clock
    assert isinstance(clock, ManualClock)
    clock.advance(61)


@pytest.fixture
def story(tenant: Tenant) -> Recall:
    return recall(tenant)


def summaries(answer: Wire) -> list[Row]:
    """Each row: how it was reached, what happened to how much of what, and in which document."""
    return [
        (
            *(row.get("direction"), row["level"], row["event"]),
            *(row["sku"], row.get("batch_number") or row.get("serial_number"), row["quantity"], row["order_no"]),
        )
        for row in answer["rows"]
    ]


def codes(answer: Wire) -> list[str]:
    return [warning["code"] for warning in answer["warnings"]]


def lot(answer: Wire, number: str) -> Wire:
    (found,) = [entry for entry in answer["lots"] if number in {entry.get("batch_number"), entry.get("serial_number")}]
    return found


SUMS = ("received", "made", "returned", "adjusted", "used", "shipped", "in_transit", "in_stock", "unaccounted")


def sums(answer: Wire, number: str) -> Wire:
    return {name: value for name, value in lot(answer, number).items() if name in SUMS}


async def test_a_recalled_batch_is_followed_to_the_customers(stage: Stage, story: Recall) -> None:
    answer = await stage.call("trace", number="LOT-77", direction="down")
    bought, paste, kit = (record["order_no"] for record in (story.bought, story.paste_order, story.kit_order))
    assert summaries(answer) == [
        (None, 0, "received", "RESIN", "LOT-77", 10, bought),
        (None, 0, "used", "RESIN", "LOT-77", 4, paste),
        ("down", 1, "made", "PASTE", "P-1", 4, paste),
        ("down", 1, "used", "PASTE", "P-1", 2, kit),
        ("down", 2, "made", "KIT", "K-1", 2, kit),
        ("down", 2, "shipped", "KIT", "K-1", 1, story.sold["order_no"]),
    ]
    assert [row.get("through") for row in answer["rows"]] == [None, None, 2, 3, 4, 5]
    first, last = answer["rows"][0], answer["rows"][-1]
    assert (first["supplier"], first["unit"], first["location"]) == ("Nordlager Komponenter AS", "kg", "Main workshop")
    assert (last["customer"], last["date"]) == ("Felix Aalto", "2026-03-03T08:00:00.000Z")
    assert sums(answer, "LOT-77") == {"received": 10, "used": 4, "in_stock": 6, "unaccounted": 0}
    assert sums(answer, "P-1") == {"made": 4, "used": 2, "in_stock": 2, "unaccounted": 0}
    assert sums(answer, "K-1") == {"made": 2, "shipped": 1, "in_stock": 1, "unaccounted": 0}
    (customer,) = answer["customers"]
    assert (customer["customer"], customer["sku"], customer["shipped"]) == ("Felix Aalto", "KIT", 1)
    assert customer["orders"] == [story.sold["order_no"]]
    assert (answer["kind"], answer["lots_total"], answer["customers_total"], answer["warnings"]) == ("batch", 3, 1, [])


async def test_a_shipped_order_is_followed_to_the_suppliers(stage: Stage, story: Recall) -> None:
    answer = await stage.call("trace", number=story.sold["order_no"])
    bought, paste, kit = (record["order_no"] for record in (story.bought, story.paste_order, story.kit_order))
    assert summaries(answer) == [
        (None, 0, "shipped", "KIT", "K-1", 1, story.sold["order_no"]),
        ("up", 0, "made", "KIT", "K-1", 2, kit),
        ("up", 1, "used", "PASTE", "P-1", 2, kit),
        ("up", 1, "made", "PASTE", "P-1", 4, paste),
        ("up", 2, "used", "RESIN", "LOT-77", 4, paste),
        ("up", 2, "received", "RESIN", "LOT-77", 10, bought),
    ]
    assert [row.get("through") for row in answer["rows"]] == [None, 1, 2, 3, 4, 5]
    assert answer["kind"] == "sales_order"
    assert sums(answer, "LOT-77") == {"in_stock": 6}, "of origins alone nothing is added up"


async def test_a_batch_in_the_middle_goes_both_ways_and_each_way_alone(stage: Stage, story: Recall) -> None:
    both = summaries(await stage.call("trace", number="P-1"))
    down = summaries(await stage.call("trace", number="P-1", direction="down"))
    up = summaries(await stage.call("trace", number="P-1", direction="up"))
    assert [row[2:5] for row in both] == [
        ("made", "PASTE", "P-1"),
        ("used", "PASTE", "P-1"),
        ("made", "KIT", "K-1"),
        ("shipped", "KIT", "K-1"),
        ("used", "RESIN", "LOT-77"),
        ("received", "RESIN", "LOT-77"),
    ]
    assert down == both[:4]
    assert up == [both[0], *both[4:]]
    assert story.paste_order["order_no"] == both[0][-1]


async def test_orders_of_every_kind_are_starts(stage: Stage, story: Recall) -> None:
    bought = await stage.call("trace", number=story.bought["order_no"], kind="purchase_order")
    assert {entry["batch_number"] for entry in bought["lots"]} == {"LOT-77", "LOT-78", "P-1", "P-2", "K-1"}
    assert bought["rows"][0]["event"] == "received"
    made = await stage.call("trace", number=story.paste_order["order_no"])
    assert [row[:5] for row in summaries(made)] == [
        (None, 0, "made", "PASTE", "P-1"),
        (None, 0, "made", "PASTE", "P-2"),
        (None, 0, "used", "PASTE", "P-1"),
        ("down", 1, "made", "KIT", "K-1"),
        ("down", 1, "shipped", "KIT", "K-1"),
        ("up", 1, "used", "RESIN", "LOT-77"),
        ("up", 1, "used", "RESIN", "LOT-78"),
        ("up", 1, "received", "RESIN", "LOT-77"),
        ("up", 1, "received", "RESIN", "LOT-78"),
    ]
    open_order = story.floor.ordered(story.kit, 1)
    nothing = await stage.call("trace", number=open_order["order_no"])
    assert (nothing["rows"], nothing["lots"]) == ([], [])
    assert [warning["message"] for warning in nothing["warnings"]] == [
        f"nothing is made by {open_order['order_no']} yet, so there is nothing to trace"
    ]


async def test_of_an_order_one_item_is_traced_where_it_is_named(stage: Stage, story: Recall) -> None:
    number = story.bought["order_no"]
    assert (await stage.call("trace", number=number, sku_or_variant_id="RESIN"))["lots_total"] == 5
    other = await stage.call("trace", number=number, sku_or_variant_id="KIT")
    assert (other["rows"], [warning["severity"] for warning in other["warnings"]]) == ([], ["info"])


async def test_what_came_back_was_moved_or_counted_adds_up(stage: Stage, story: Recall) -> None:
    floor = story.floor
    floor.adjusted(story.resin, -1, "LOT-77")
    floor.adjusted(story.resin, 3, "LOT-77")
    floor.moved(story.resin, 2, "LOT-77", "received")
    floor.moved(story.resin, 1, "LOT-77", "inTransit")
    answer = await stage.call("trace", number="LOT-77", direction="down")
    assert sums(answer, "LOT-77") == {
        "received": 10,
        "adjusted": 2,
        "used": 4,
        "in_transit": 1,
        "in_stock": 7,
        "unaccounted": 0,
    }
    assert {row["location"]: row["quantity"] for row in lot(answer, "LOT-77")["stock"]} == {
        row["location"]: quantity for row, quantity in zip(_ends(answer), (5, 2), strict=True)
    }
    moves = [row for row in answer["rows"] if row["event"] == "transferred"]
    assert [(row["quantity"], row["status"]) for row in moves] == [(2, "received"), (1, "inTransit")]
    assert [row["quantity"] for row in answer["rows"] if row["event"] == "adjusted"] == [3, -1]


def _ends(answer: Wire) -> list[Wire]:
    moved = next(row for row in answer["rows"] if row["event"] == "transferred")
    return [moved, {"location": moved["to_location"]}]


async def test_what_a_customer_sent_back_counts_once_it_is_in_stock(stage: Stage, story: Recall) -> None:
    tenant, sold = story.floor.tenant, story.sold
    returned = tenant.create("sales_returns", {"sales_order_id": sold["id"], "return_location_id": story.floor.place()})
    shipment = next(
        fulfillment
        for fulfillment in tenant.all("sales_order_fulfillments")
        if fulfillment["sales_order_id"] == sold["id"]
    )
    line = shipment["sales_order_fulfillment_rows"][0]
    body = {"sales_return_id": returned["id"], "variant_id": story.kit, "fulfillment_row_id": line["id"]}
    row = tenant.create("sales_return_rows", {**body, "quantity": 1})
    tenant.edit(
        "sales_return_rows", row["id"], batch_transactions=[{"batch_id": story.floor.batches["K-1"], "quantity": 1}]
    )
    tenant.edit("sales_returns", returned["id"], status="RETURNED_ALL", return_date="2026-03-05T08:00:00.000Z")
    before = await stage.call("trace", number="K-1", direction="down")
    assert [entry["event"] for entry in before["rows"]] == ["made", "returned", "shipped"]
    assert sums(before, "K-1") == {"made": 2, "shipped": 1, "in_stock": 1, "unaccounted": 0}
    tenant.edit("sales_returns", returned["id"], status="RESTOCKED_ALL")
    a_minute_later(stage)
    after = await stage.call("trace", number="K-1", direction="down")
    assert sums(after, "K-1") == {"made": 2, "returned": 1, "shipped": 1, "in_stock": 2, "unaccounted": 0}
    assert [(customer["shipped"], customer["returned"]) for customer in after["customers"]] == [(1, 1)]


async def test_a_receipt_counts_in_the_stock_unit(stage: Stage, tenant: Tenant) -> None:
    floor = Floor(tenant)
    resin = floor.material("RESIN")
    floor.bought(resin, rate=25, **{"LOT-77": 3, "UNBATCHED": 1})
    answer = await stage.call("trace", number="LOT-77")
    assert [(row["event"], row["quantity"]) for row in answer["rows"]] == [("received", 75)]
    assert sums(answer, "LOT-77") == {"received": 75, "in_stock": 75, "unaccounted": 0}


async def test_more_documents_of_a_batch_take_no_statement_more(monkeypatch: pytest.MonkeyPatch) -> None:
    statements = counted(monkeypatch)
    own = OwnSandbox(Sandbox(clock=ManualClock(auto=False)))
    story = recall(own.sandbox.tenant())
    story.floor.shipped(story.floor.sold(story.paste, 1), 1, story.floor.trace(story.paste, {"P-1": 1}))
    async with staged(own) as stage:
        await stage.call("trace", number="LOT-77", kind="batch")
        a_minute_later(stage)
        few = await warm_cost(stage, statements, "trace", number="LOT-77", kind="batch")
        order = story.floor.ordered(story.paste, 30)
        for nr in range(6):
            story.floor.produced(order, 1, {story.resin: {"LOT-77": 1}}, f"P-{nr + 3}")
            story.floor.shipped(story.floor.sold(story.paste, 1), 1, story.floor.trace(story.paste, {f"P-{nr + 3}": 1}))
        a_minute_later(stage)
        many = await warm_cost(stage, statements, "trace", number="LOT-77", kind="batch")
    assert many[2]["lots_total"] == few[2]["lots_total"] + 6
    assert (few[0], few[1]) == (many[0], many[1])
    assert few[1] <= 175


async def test_what_no_document_explains_is_said(stage: Stage, story: Recall) -> None:
    def lose_one(body: object) -> object:
        stocks: list[Wire] = cast("Wire", body)["data"]
        return {
            "data": [row | ({"quantity_in_stock": "5"} if row["batch_number"] == "LOT-77" else {}) for row in stocks]
        }

    stage.own.sandbox.faults.add(Fault("GET /batch_stocks", action=EditBody(lose_one), times=None))
    answer = await stage.call("trace", number="LOT-77", direction="down")
    assert sums(answer, "LOT-77") == {"received": 10, "used": 4, "in_stock": 5, "unaccounted": 1}
    assert sums(answer, "P-1")["unaccounted"] == 0
    assert story.resin == lot(answer, "LOT-77")["variant_id"]


async def test_batches_that_open_orders_hold_are_told_until_they_leave(stage: Stage, story: Recall) -> None:
    floor = story.floor
    held = floor.sold(story.kit, 2, customer=1)
    trace = [{"batch_id": floor.batches["K-1"], "quantity": 1}]
    floor.tenant.edit("sales_order_rows", held["sales_order_rows"][0]["id"], batch_transactions=trace)
    recipe = floor.recipe(story.paste_order)[story.resin]
    planned = [{"batch_id": floor.batches["LOT-77"], "quantity": 5}]
    floor.tenant.edit("manufacturing_order_recipe_rows", recipe["id"], batch_transactions=planned)
    answer = await stage.call("trace", number="LOT-77", direction="down")
    held_rows = [row for row in answer["rows"] if row["event"] == "reserved"]
    assert [(row["batch_number"], row["quantity"], row["order_no"]) for row in held_rows] == [
        ("LOT-77", 1, story.paste_order["order_no"]),
        ("K-1", 1, held["order_no"]),
    ]
    assert lot(answer, "K-1")["reserved"] == 1
    assert sums(answer, "K-1") == {"made": 2, "shipped": 1, "in_stock": 1, "unaccounted": 0}
    of_order = await stage.call("trace", number=held["order_no"])
    assert [row[:5] for row in summaries(of_order)][:2] == [
        (None, 0, "reserved", "KIT", "K-1"),
        ("up", 0, "made", "KIT", "K-1"),
    ]
    floor.shipped(held, 1, trace)
    a_minute_later(stage)
    partly = await stage.call("trace", number="K-1", direction="down")
    assert [(row["event"], row["quantity"]) for row in partly["rows"]] == [("made", 2), ("shipped", 1), ("shipped", 1)]
    assert sums(partly, "K-1") == {"made": 2, "shipped": 2, "in_stock": 0, "unaccounted": 0}


async def test_the_trail_ends_at_goods_of_no_batch_and_says_so(stage: Stage, story: Recall) -> None:
    order = story.floor.ordered(story.kit, 3)
    story.floor.produced(order, 1, {story.paste: {"P-1": 1}})
    story.floor.produced(order, 1, {story.paste: {"UNBATCHED": 1}}, "K-2")
    answer = await stage.call("trace", number="P-1", direction="down")
    (row,) = [row for row in answer["rows"] if row.get("untraced")]
    assert (row["event"], row["sku"], row["quantity"], row["order_no"]) == ("made", "KIT", 1, order["order_no"])
    assert answer["rows"][row["through"] - 1]["order_no"] == order["order_no"]
    (warning,) = answer["warnings"]
    assert warning["code"] == "trail_ends"
    assert "(1 of KIT)" in warning["message"]
    up = await stage.call("trace", number="K-2", direction="up")
    assert [(row["event"], row["sku"], row.get("untraced")) for row in up["rows"]] == [
        ("made", "KIT", None),
        ("used", "PASTE", True),
    ]
    assert codes(up) == ["trail_ends"]


async def test_ingredients_that_are_never_told_apart_are_no_rows(stage: Stage, tenant: Tenant) -> None:
    floor = Floor(tenant)
    resin, screw = floor.material("RESIN"), floor.material("SCREW", batch_tracked=False)
    paste = floor.product("PASTE", {resin: 1, screw: 4}, batch_tracked=True)
    floor.bought(resin, **{"LOT-77": 10})
    floor.produced(floor.ordered(paste, 4), 4, {resin: {"LOT-77": 4}, screw: {"UNBATCHED": 16}}, "P-1")
    answer = await stage.call("trace", number="P-1", direction="up")
    assert [(row["event"], row["sku"]) for row in answer["rows"]] == [
        ("made", "PASTE"),
        ("used", "RESIN"),
        ("received", "RESIN"),
    ]
    assert answer["warnings"] == []


async def test_goods_made_to_order_are_followed_without_a_batch(stage: Stage, tenant: Tenant) -> None:
    floor = Floor(tenant)
    resin = floor.material("RESIN")
    frame = floor.product("FRAME", {resin: 1}, is_sellable=True)
    floor.bought(resin, **{"LOT-77": 10})
    sold = floor.sold(frame, 2)
    order = floor.made_to_order(sold)
    floor.produced(order, 2, {resin: {"LOT-77": 2}}, is_final=True)
    floor.shipped(sold, 2)
    down = await stage.call("trace", number="LOT-77", direction="down")
    assert [(row["event"], row["sku"], row.get("through")) for row in down["rows"]] == [
        ("received", "RESIN", None),
        ("used", "RESIN", None),
        ("made", "FRAME", 2),
        ("shipped", "FRAME", 3),
    ]
    assert [customer["shipped"] for customer in down["customers"]] == [2]
    up = await stage.call("trace", number=sold["order_no"])
    assert [(row["event"], row["sku"]) for row in up["rows"]] == [
        ("shipped", "FRAME"),
        ("made", "FRAME"),
        ("used", "RESIN"),
        ("received", "RESIN"),
    ]
    of_order = await stage.call("trace", number=order["order_no"], direction="down")
    assert [row["event"] for row in of_order["rows"]] == ["made", "shipped"]


async def test_a_circle_ends(stage: Stage, story: Recall) -> None:
    floor = story.floor
    rework = floor.product("REWORK", {story.kit: 1}, batch_tracked=True)
    floor.produced(floor.ordered(rework, 1), 1, {story.kit: {"K-1": 1}}, "R-1")
    again = floor.ordered(story.paste, 1)
    row = floor.recipe(again)[story.resin]
    floor.tenant.edit("manufacturing_order_recipe_rows", row["id"], variant_id=rework)
    floor.produced(again, 1, {rework: {"R-1": 1}}, "P-1")
    answer = await stage.call("trace", number="P-1", levels=10)
    assert len({row["row"] for row in answer["rows"]}) == answer["total"]
    assert {entry["batch_number"]: entry["level"] for entry in answer["lots"]} == {
        "P-1": 0,
        "K-1": 1,
        "R-1": 2,
        "LOT-77": 1,
    }
    assert answer["warnings"] == []


@pytest.mark.parametrize(("levels", "lots", "beyond"), [(0, 1, 1), (1, 2, 1), (2, 3, 0)])
async def test_levels_end_it_and_what_lies_beyond_is_counted(
    stage: Stage, story: Recall, levels: int, lots: int, beyond: int
) -> None:
    answer = await stage.call("trace", number="LOT-77", direction="down", levels=levels)
    assert answer["lots_total"] == lots, story.resin
    assert [warning["message"].split()[0] for warning in answer["warnings"]] == [str(beyond)] * bool(beyond)
    assert codes(answer) == ["truncated_result"] * bool(beyond)


async def test_pages_hold_all_rows_once(stage: Stage, story: Recall) -> None:
    whole = await stage.call("trace", number="LOT-77")
    pages = [await stage.call("trace", number="LOT-77", limit=4, page=page) for page in (1, 2)]
    assert [row for page in pages for row in page["rows"]] == whole["rows"]
    assert [page["has_more"] for page in pages] == [True, False]
    assert pages[1]["lots"] == whole["lots"], story.resin


async def test_one_number_of_two_items_is_told_apart(stage: Stage, story: Recall) -> None:
    glue = story.floor.material("GLUE")
    kept = story.floor.batches["LOT-77"]
    del story.floor.batches["LOT-77"]
    story.floor.bought(glue, **{"LOT-77": 3})
    refused = await stage.refusal("trace", number="LOT-77")
    assert refused["error"] == "ambiguous_name"
    assert "batch of RESIN, batch of GLUE" in refused["warnings"][0]["message"]
    answer = await stage.call("trace", number="LOT-77", sku_or_variant_id="RESIN")
    assert answer["lots"][0]["batch_id"] == kept
    assert (await stage.call("trace", number="LOT-77", sku_or_variant_id=glue))["lots"][0]["sku"] == "GLUE"
    unknown = await stage.refusal("trace", number="LOT-77", sku_or_variant_id="KIT")
    assert (unknown["error"], unknown["warnings"][0]["field_path"]) == ("not_found", "number")
    assert (await stage.refusal("trace", number="LOT-77", sku_or_variant_id="nix"))["error"] == "not_found"


async def test_a_batch_named_like_an_order_is_told_apart_by_kind(stage: Stage, story: Recall) -> None:
    number = story.kit_order["order_no"]
    story.floor.bought(story.floor.material("GLUE"), **{number: 3})
    refused = await stage.refusal("trace", number=number)
    assert "batch of GLUE, manufacturing order" in refused["warnings"][0]["message"]
    assert (await stage.call("trace", number=number, kind="batch"))["rows"][0]["sku"] == "GLUE"
    assert (await stage.call("trace", number=number, kind="manufacturing order"))["rows"][0]["sku"] == "KIT"


async def test_a_number_is_never_taken_for_an_id(stage: Stage, story: Recall) -> None:
    refused = await stage.refusal("trace", number=str(story.sold["id"]))
    assert (refused["error"], refused["warnings"][0]["field_path"]) == ("not_found", "number")
    assert (await stage.refusal("trace", number=story.sold["id"]))["error"] == "not_found"
    for nothing in ("LOT-7", "lot-77", "%"):
        assert (await stage.refusal("trace", number=nothing))["error"] == "not_found"


async def test_without_katana_orders_are_traced_and_stock_is_left_out(stage: Stage, story: Recall) -> None:
    await stage.call("trace", number=story.sold["order_no"])
    stage.own.sandbox.faults.add(Fault("GET /batch_stocks", action=Status(401), times=None))
    answer = await stage.call("trace", number=story.sold["order_no"], kind="sales_order")
    assert [row["event"] for row in answer["rows"]] == ["shipped", "made", "used", "made", "used", "received"]
    assert codes(answer) == ["katana_unavailable"]
    assert not any("in_stock" in entry or "batch_number" in entry for entry in answer["lots"])
    refused = await stage.refusal("trace", number="LOT-77", kind="batch")
    assert refused["error"] == "katana_unavailable"


async def test_what_is_asked_of_katana_is_as_little_as_the_question_needs(stage: Stage, story: Recall) -> None:
    await stage.call("trace", number="LOT-77")

    async def asked(**arguments: object) -> list[str]:
        before = stage.requests()
        await stage.call("trace", **arguments)
        return [entry.path.removeprefix("/v1/") for entry in list(stage.own.sandbox.journal)[before:]]

    stocks = "batch_stocks"
    assert await asked(number="LOT-77", kind="batch", levels=0) == [stocks]
    assert await asked(number="LOT-77", kind="batch") == [stocks] * 3
    assert sorted(await asked(number="LOT-77")) == [*[stocks] * 3, "serial_numbers_stock"]
    assert await asked(number=story.sold["order_no"], kind="sales_order") == [stocks] * 3


@pytest.mark.parametrize(
    ("collection", "left"),
    [
        ("sales_orders", ["received", "used", "made", "used", "made"]),
        ("purchase_orders", ["used", "made", "used", "made", "shipped"]),
    ],
)
async def test_documents_that_are_deleted_are_no_rows(
    stage: Stage, story: Recall, collection: str, left: list[str]
) -> None:
    key = {"sales_orders": story.sold, "purchase_orders": story.bought}[collection]["id"]
    story.floor.tenant.edit(collection, key, deleted_at="2026-03-05T08:00:00.000Z")
    answer = await stage.call("trace", number="LOT-77", direction="down")
    assert [row["event"] for row in answer["rows"]] == left
