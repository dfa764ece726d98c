"""Characters that nobody sees, in any text of any record: shown in every answer, and taken back as they were shown."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
from server_wire import live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.made_tools import tools
from katana_mcp.testing import Setup, Stage, payload_of, staged, text_of, within
from katana_mcp.tools.hidden import escape_hidden, hides_nothing, meant
from katana_sandbox import ManualClock

TOOLS = [tool.name for tool in tools() if tool.read_only and not tool.plans and tool.name != "cache_status"]
CODES = (
    *(0x00, 0x01, 0x07, 0x08, 0x0B, 0x0C, 0x0D, 0x0E, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x90, 0x9B, 0x9D, 0x9F),
    *(0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F),
    *(0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2062, 0x2066, 0x2067, 0x2068, 0x2069, 0x206F),
    *(0x2800, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFE, 0x1D173, 0xE0001, 0xE0041, 0xE007F, 0xE0100),
)
PAYLOADS = (
    *map(chr, CODES),
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://evil\x07x",
    "\u202egnp.exe",
    "e\u200b\u200c\u200dnd",
)
HIDDEN = re.compile(f"[{''.join(re.escape(chr(code)) for code in CODES if code not in (0xD, 0xFE0F))}]")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in cast("dict[str, object]", value).items():
            yield from (name, *_texts(member))
    elif isinstance(value, list):
        for element in cast("list[object]", value):
            yield from _texts(element)


def _poisoned(own: OwnSandbox, payload: str, number: int) -> tuple[dict[str, dict[str, object]], str]:
    """Put the payload into every text that tools show of some records; return the calls that show it, and the SKU."""
    tenant = own.sandbox.tenant()
    order, buyer = live(tenant, "sales_orders")[number], live(tenant, "customers")[number]
    variant = [record for record in live(tenant, "variants") if record["material_id"]][number]
    sku = f"HID-{number}{payload}x"
    tenant.edit("variants", variant["id"], sku=sku, supplier_item_codes=[f"c{payload}d{number}"])
    tenant.edit("materials", variant["material_id"], name=f"Seal {payload}kit")
    tenant.edit("sales_order_rows", order["sales_order_rows"][0]["id"], variant_id=variant["id"])
    bought = live(tenant, "purchase_orders")[number]
    tenant.edit("purchase_order_rows", bought["purchase_order_rows"][0]["id"], variant_id=variant["id"])
    order_no = f"ORD{number}{payload}y"
    tenant.edit(
        "sales_orders", order["id"], customer_id=buyer["id"], order_no=order_no, additional_info=f"n{payload}\nb"
    )
    tenant.edit("customers", buyer["id"], name=f"Velo{payload} No{number} AG", email=f"a{payload}@b.example")
    back = live(tenant, "sales_returns")[number]
    tenant.edit("sales_returns", back["id"], customer_id=buyer["id"])
    calls: dict[str, dict[str, object]] = {
        "search_items": {"query": f"HID-{number}"},
        "search_sales_orders": {"query": f"ORD{number}"},
        "search_sales_returns": {"query": back["order_no"]},
        "list_sales_orders": {"ids": [order["id"]], "include_rows": True},
        "get_sales_order": {"sales_order_id": order["id"]},
        "search_customers": {"query": f"No{number} AG"},
        "list_customers": {"ids": [buyer["id"]]},
        "get_customer": {"customer_id": buyer["id"]},
        "list_items": {"ids": [variant["material_id"]], "type": ["material"], "include_rows": True},
        "get_item": {"item_id": variant["material_id"], "item_type": "material"},
        "get_variant_details": {"skus_or_variant_ids": [variant["id"]]},
        "check_inventory": {"skus_or_variant_ids": [variant["id"]]},
        "list_low_stock_items": {"include_expected": False},
        "get_inventory_movements": {"skus_or_variant_ids": [variant["id"]]},
        "inventory_at": {"skus_or_variant_ids": [variant["id"]], "as_of": "2026-03-02T00:00:00Z"},
        "list_blocking_ingredients": {},
        "order_readiness": {},
        "buildable": {},
        "stock_value": {},
        "promise_date": {"rows": [{"sku_or_variant_id": variant["id"], "quantity": 1}]},
        "verify_order_document": {
            "purchase_order_id": bought["id"],
            "lines": [{"sku": f"HID-{number}", "quantity": 1}],
        },
        "get_bom": {"skus_or_variant_ids": [variant["id"]]},
        "list_reference": {"kind": "location"},
        "list_traceability": {"include_empty": True},
        "trace": {"number": f"B{payload}{number}", "kind": "batch"},
        "list_inventory_signals": {"skus_or_variant_ids": [variant["id"], f"No{payload}such"]},
        "get_demand_forecast": {
            "skus_or_variant_ids": [variant["id"]],
            "location_id": live(tenant, "locations")[0]["id"],
        },
    }
    tracked = {material["id"] for material in live(tenant, "materials") if material["batch_tracked"]}
    goods = next(record["id"] for record in live(tenant, "variants") if record["material_id"] in tracked)
    batch = tenant.create("batches", {"batch_number": f"B{payload}{number}", "variant_id": goods})["id"]
    row = {"variant_id": goods, "quantity": 1, "traceability": [{"batch_id": batch, "quantity": 1}]}
    place = live(tenant, "locations")[0]["id"]
    tenant.create("stock_adjustments", {"location_id": place, "stock_adjustment_rows": [row]})
    return calls | _at_locations(own), sku


def _at_locations(own: OwnSandbox) -> dict[str, dict[str, object]]:
    """Return calls that show the name of a location."""
    calls: dict[str, dict[str, object]] = {}
    for name, number in NUMBERS.items():
        document = live(own.sandbox.tenant(), f"{name}s")[0]
        calls[f"search_{name}s"] = {"query": document[number]}
        calls[f"list_{name}s"] = {"ids": [document["id"]]}
        calls[f"get_{name}"] = {f"{name}_id": document["id"]}
    calls["get_manufacturing_order_recipe"] = calls["get_manufacturing_order"]
    sent_back = live(own.sandbox.tenant(), "sales_returns")[0]["id"]
    calls["list_sales_returns"] = {"ids": [sent_back]}
    calls["list_stocktakes"] = {"ids": [live(own.sandbox.tenant(), "stocktakes")[0]["id"]]}
    calls["get_sales_return"] = {"sales_return_id": sent_back}
    return calls


NUMBERS = {
    "purchase_order": "order_no",
    "manufacturing_order": "order_no",
    "stock_transfer": "stock_transfer_number",
    "stock_adjustment": "stock_adjustment_number",
}
PARTS = 32


@pytest.mark.in_turn
@pytest.mark.parametrize("first", [0, *(pytest.param(number, marks=pytest.mark.soak) for number in range(1, PARTS))])
async def test_no_hidden_character_goes_out_and_what_was_given_out_is_taken_back(
    own: OwnSandbox, clock: ManualClock, first: int
) -> None:
    payloads = PAYLOADS[first::PARTS]
    for place in own.sandbox.tenant().all("locations"):
        own.sandbox.tenant().edit("locations", place["id"], name=f"Main{''.join(payloads)} {place['id']}")
    poisoned = [_poisoned(own, payload, number) for number, payload in enumerate(payloads)]
    async with staged(own, Setup(flags={"log_level": "ERROR"})) as stage:
        for payload, (calls, sku) in zip(payloads, poisoned, strict=True):
            assert set(calls) == set(TOOLS)
            for index, (tool, arguments) in enumerate(calls.items()):
                if index % 10 == 0:
                    clock.advance(61)  # a minute has 60 requests, and stock that was marked is read after its mark
                result = await within(clock, 60, stage.result(tool, arguments))
                answer: dict[str, Any] = payload_of(result)
                assert not result.is_error, tool
                assert [text for text in _texts(answer) if HIDDEN.search(text)] == [], tool
                assert escape_hidden(payload) in "".join(_texts(answer)), tool
                assert json.loads(text_of(result)) == answer, tool
            clock.advance(61)
            await _given_back(stage, sku)
        assert list(filter(HIDDEN.search, _texts(json.loads(await stage.read("katana://locations"))))) == []


async def _given_back(stage: Stage, sku: str) -> None:
    """Hand a SKU, an order number and a name back exactly as they were given out."""
    found = (await stage.call("search_items", query=sku))["rows"][0]["sku"]
    assert meant(found) == sku
    details = await stage.call("get_variant_details", skus_or_variant_ids=[found])
    assert [variant["sku"] for variant in details["variants"]] == [found]
    order = (await stage.call("list_sales_orders", skus_or_variant_ids=[found]))["rows"][0]
    assert (await stage.call("get_sales_order", sales_order_id=order["order_no"]))["order"]["order_no"] == order[
        "order_no"
    ]
    same = await stage.call("list_sales_orders", customer_id=order["customer"])
    assert order["sales_order_id"] in [row["sales_order_id"] for row in same["rows"]]
    refusal = await stage.refusal("list_sales_orders", customer_id=f"{order['customer']} and nobody else")
    assert not HIDDEN.search(str(refusal))


@pytest.mark.parametrize("payload", ["\x1b", "\u200b", "\U000e0041"])
async def test_an_answer_stays_bounded_however_much_is_hidden_in_it(own: OwnSandbox, payload: str) -> None:
    tenant = own.sandbox.tenant()
    for buyer in live(tenant, "customers"):
        tenant.edit("customers", buyer["id"], name=f"{payload * 250} {buyer['id']}")
    async with staged(own) as stage:
        result = await stage.result("list_sales_orders", {"limit": 100})
        assert 10_000 < len(text_of(result).encode()) <= 40_000
        assert payload_of(result)["has_more"] is True


@pytest.mark.parametrize("text", ["a\tb\nc\r\nd", "Größe ❤️ 漢字", "№ 5 µm ½″", "<U+0041>", "<U+FFFFFF>", "plain"])
def test_a_text_without_hidden_characters_stays_as_it_is(text: str) -> None:
    assert escape_hidden(text) == text
    assert meant(text) == text


@pytest.mark.parametrize("around", ["a{}b", "Ł{}", "{}\n"])
def test_an_answer_hides_nothing_where_no_character_of_it_would_be_shown_otherwise(around: str) -> None:
    for code in (*range(0xD800), *range(0xE000, 0x10000), *CODES):
        text = around.format(chr(code))
        if hides_nothing(json.dumps({"name": text}, ensure_ascii=False)):
            assert escape_hidden(text) == text, hex(code)
        else:
            assert escape_hidden(text) != text or chr(code) in '\b\f\n\r"\\', hex(code)


def test_a_symbol_may_be_followed_by_the_selector_that_makes_it_colourful() -> None:
    for text, hides in (("\u2764\ufe0f", False), ("a\ufe0f", True), ("Ł\u2764\ufe0f", False)):
        assert hides_nothing(json.dumps(text, ensure_ascii=False)) is not hides
