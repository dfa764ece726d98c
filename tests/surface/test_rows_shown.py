"""Goods that a row names are shown as they are written: in the lines and in the total, whatever names them."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest
from fastmcp.client.elicitation import ElicitResult

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Payload, Setup, Stage, payload_of, staged
from katana_sandbox import ManualClock, Tenant

from .all_writes import WRITES
from .shapes import nodes
from .writes import Arguments, Record, live

pytestmark = pytest.mark.usefixtures("hasty_journal")
GOODS = "sku_or_variant_id"
LISTED = {row["name"]: row["inputSchema"] for row in catalogue()}
NAMING = [
    (tool, path.removesuffix(f"[].{GOODS}"))
    for tool in WRITES
    for path, _ in nodes(LISTED[tool])
    if path.endswith(f"[].{GOODS}")
]
SYNCED = 300
"""Seconds after which a list that names something is asked for anew."""
NO_NAMES = frozenset({"count_stock", "plan_bin_transfer", "modify_safety_stock"})
"""Those that take ids, SKUs and barcodes alone."""
WRITTEN = ("variant_id", "ingredient_variant_id")


def _alone(tenant: Tenant) -> Iterator[tuple[Record, str]]:
    """Yield variants that nothing else is called like, the newest first, with the names of their items."""
    kinds = {f"{collection[:-1]}_id": live(tenant, collection) for collection in ("products", "materials")}
    items = {(owner, item["id"]): item["name"] for owner, found in kinds.items() for item in found}
    named = {
        variant["id"]: items[owner]
        for variant in live(tenant, "variants")
        for owner in ((name, variant.get(name)) for name in kinds)
        if owner in items
    }
    names, skus = Counter(named.values()), Counter(variant["sku"] for variant in tenant.all("variants"))
    for variant in reversed(live(tenant, "variants")):
        name = named.get(variant["id"])
        if name and names[name] == 1 and skus[variant["sku"]] == 1 and not variant["config_attributes"]:
            yield variant, name


def _goods_in(value: object) -> Iterator[int]:
    """Yield the variants that a body names, at whatever depth."""
    if isinstance(value, Mapping):
        body = cast("Mapping[str, Any]", value)
        yield from (body[name] for name in WRITTEN if isinstance(body.get(name), int))
        for inner in body.values():
            yield from _goods_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _goods_in(inner)


def _written(preview: Payload) -> set[int]:
    return {key for sent in preview["requests"] for key in _goods_in(json.loads(sent.get("body", "null")))}


def _shown(preview: Payload) -> object:
    lines = [{name: value for name, value in line.items() if name != "match"} for line in preview["lines"]]
    return lines, preview.get("total"), preview.get("net_total")


@pytest.mark.parametrize(("tool", "argument"), NAMING)
async def test_a_row_is_shown_whatever_names_its_goods(
    stage: Stage, tenant: Tenant, clock: ManualClock, tool: str, argument: str
) -> None:
    document, usual = WRITES[tool].called(tenant, "SHOWN")
    clock.advance(SYNCED)
    asked = {**usual, **WRITES[tool].below(tenant, document)[f"{argument}[].{GOODS}"]}

    async def previewed(goods: object) -> Payload:
        first, *others = cast("list[Arguments]", asked[argument])
        clock.advance(30)
        return payload_of(await stage.result(tool, {**asked, argument: [{**first, GOODS: goods}, *others]}))

    for variant, name in _alone(tenant):
        by_id, called = await previewed(variant["id"]), [variant["sku"], name]
        if "plan_token" in by_id:
            break
    else:
        raise AssertionError("there are no goods that it takes")
    assert {variant["id"], *_written(by_id)} <= {line.get("variant_id") for line in by_id["lines"]}
    by_sku, by_name = [await previewed(one) for one in called]
    assert _shown(by_sku) == _shown(by_id)
    assert ("plan_token" in by_name) is (tool not in NO_NAMES)
    assert tool in NO_NAMES or _shown(by_name) == _shown(by_id)


async def test_a_new_row_named_by_its_sku_is_asked_about_and_is_in_the_total_that_katana_has_then(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock
) -> None:
    asked: list[str] = []

    async def person(message: str, *_: object) -> ElicitResult[Any]:
        asked.append(message)
        return ElicitResult(action="accept", content={"confirm": True})

    order = WRITES["modify_sales_order"].document(tenant, "ASKED")
    sku = next(variant["sku"] for variant, _ in _alone(tenant) if variant["sales_price"])
    rows = [{GOODS: sku, "quantity": 3, "price_per_unit": 40}]
    clock.advance(SYNCED)
    async with staged(own, Setup(person=person)) as stage:
        preview = await stage.call("modify_sales_order", sales_order_id=order["id"], add_rows=rows)
        answer = await stage.call("apply_plan", plan_tokens=[preview["plan_token"]])
    (question,), (outcome,) = asked, answer["outcomes"]
    assert [f"add {sku} \N{MULTIPLICATION SIGN} 3" in question, question.count("\N{MULTIPLICATION SIGN}")] == [True, 4]
    assert outcome["total"] == preview["total"] == float(tenant.get("sales_orders", order["id"])["total"])
