"""Orders in any status, and any correction of them: done to the end and closed again, or refused before a request."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import correcting_making as making
import correcting_sales as sales
import pytest
from correcting_orders import Edit
from correcting_steps import Stock, brought_to_its_end
from journal_plans import hasty
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import ManualClock, Tenant


@dataclass(frozen=True)
class Kind:
    """How orders of a kind are drawn, and when what closed one happened."""

    name: str
    draw: Callable[[Tenant, Random, str], tuple[Wire, Edit]]
    dates: Callable[[Tenant, Wire], set[str]]


KINDS = {
    "sales": Kind("sales_order", sales.drawn, sales.dates),
    "making": Kind("manufacturing_order", making.drawn, making.dates),
}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _in_stock(tenant: Tenant, phrases: list[str], held: Stock) -> list[str]:
    """Return what a preview says of the stock, as the ledger has it now."""
    skus = {(variant["sku"], variant["id"]) for variant in live(tenant, "variants")}
    places = {place["name"]: place["id"] for place in live(tenant, "locations")}
    found: list[str] = []
    for phrase in phrases:
        (sku, name), old = phrase.split(": ")[0].split(" at ", 1), phrase.split(": ")[1].split(" → ")[0]
        keys = [key for code, key in skus if code == sku]
        now = [f"{sku} at {name}: {old} → {held[key, places[name]].normalize():f}" for key in keys[:1]]
        found += now or [phrase]  # one without a SKU is called otherwise
    return found


@pytest.mark.parametrize("count", [8, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", KINDS)
async def test_any_order_is_corrected_to_its_end_or_refused_before_anything_is_sent(
    stage: Stage, tenant: Tenant, clock: ManualClock, kind: str, count: int
) -> None:
    ends, tried = Counter[str](), KINDS[kind]
    for seed in range(count):
        order, edit = tried.draw(tenant, Random(seed), f"ANY-{seed}")
        before, written = tried.dates(tenant, order), _writes(stage)
        clock.advance(61)
        preview: Payload = payload_of(await stage.result(f"correct_{tried.name}", {"id": order["id"], **edit}))
        codes = [warning["code"] for warning in preview["warnings"] if warning["severity"] == "blocking"]
        if "plan_token" not in preview:
            assert (bool(codes), _writes(stage)) == (True, written), (seed, preview)
            ends[codes[0]] += 1
            continue
        outcome = await brought_to_its_end(stage, clock, preview["plan_token"])
        then = tenant.get(f"{tried.name}s", order["id"])
        assert (outcome["applied"], _writes(stage) - written) == (len(preview["requests"]),) * 2, seed
        assert (then["status"], tried.dates(tenant, order) <= before) == (preview["status"], True), seed
        assert _in_stock(tenant, preview.get("stock", []), sales.stock(tenant, order)) == preview.get("stock", []), seed
        ends["corrected"] += 1
    assert ends["corrected"] >= count // 4
    assert "not_closed" in ends


def _writes(stage: Stage) -> int:
    return sum(entry.method != "GET" for entry in stage.own.sandbox.journal)
