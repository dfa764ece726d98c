"""What `replenish` costs: as few requests and statements with a horizon as without, however many orders it plans."""

import pytest
from server_wire import live
from small_account import Account
from sql_count import Statements, counted

from cache_typed import unchanged
from katana_mcp.references.resolve import live_with_keys
from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant

TOOL = "replenish"
EVERY: dict[str, object] = {"from_elsewhere": False}


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Statements:
    return counted(monkeypatch)


async def _cost(stage: Stage, statements: Statements, **arguments: object) -> tuple[int, int, Payload]:
    """Return the requests of a second call, its SELECTs of the cache, and its answer; it comes as after a write."""
    await stage.call(TOOL, **arguments)
    unchanged._KEPT.clear()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - as a write does
    requests, before = stage.requests(), len(statements)
    answer = await stage.call(TOOL, **arguments)
    # The journal is read too, of which the plans of each call make more.
    of_the_cache = [sql for sql in statements[before:] if "FROM action" not in sql]
    return stage.requests() - requests, len(of_the_cache), answer


@pytest.mark.parametrize("horizon", [EVERY, {**EVERY, "horizon_days": 1}], ids=["all", "one day"])
async def test_ten_orders_take_the_one_request_that_one_order_takes(
    stage: Stage, tenant: Tenant, statements: Statements, horizon: dict[str, object]
) -> None:
    for location in live(tenant, "locations"):
        tenant.edit("locations", location["id"], manufacturing_allowed=True)
    one, _, single = await _cost(
        stage, statements, skus_or_variant_ids=["PAD"], location_id="North warehouse", **horizon
    )
    ten, _, many = await _cost(stage, statements, **horizon)
    assert (len(single["orders"]), len(many["orders"])) == (1, 10)
    assert one == ten == 1
    assert stage.own.sandbox.journal[-1].path == "/v1/purchase_orders"


async def test_a_horizon_reads_no_more_of_the_cache_than_none(stage: Stage, statements: Statements) -> None:
    without = await _cost(stage, statements)
    within = await _cost(stage, statements, horizon_days=365)
    assert within[2]["message"] == without[2]["message"]
    assert within[2]["orders"][0]["lines"] == without[2]["orders"][0]["lines"]
    assert within[1] == without[1] > 0


async def test_who_has_a_name_is_asked_once_where_plans_share_it_and_each_time_where_they_do_not() -> None:
    asked: list[tuple[str, ...]] = []

    class Fresh:
        async def read_keys_again(self, _: str, keys: list[str]) -> bool:
            asked.append(tuple(keys))
            return True

    alone = Account(parts={"fresh": Fresh()}).services
    for _ in range(2):
        assert await live_with_keys(alone, "purchase_order", ["PO-1"]) == {"PO-1": ()}
    sharing = alone._replace(keys_asked=set())
    for keys in (["PO-1"], ["PO-1", "PO-2"], ["PO-1", "PO-2"]):
        assert await live_with_keys(sharing, "purchase_order", keys) == dict.fromkeys(keys, ())
    assert await live_with_keys(sharing, "stock_transfer", ["PO-1"]) == {"PO-1": ()}
    assert asked == [("PO-1",), ("PO-1",), ("PO-1",), ("PO-2",), ("PO-1",)]
