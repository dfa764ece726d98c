"""What was computed of rows that are still the same is used again: no answer may tell."""

from collections.abc import Hashable, Mapping, Sequence, Sized
from itertools import chain
from typing import Any, TypeGuard

import pytest

from cache_core.sync import Syncer, SyncOutcome
from katana_mcp.references.services import Current, Services, current
from katana_mcp.testing import Stage, unstuck
from katana_mcp.workflows import computing, stock_value
from katana_mcp.workflows.computing import Result, Results
from katana_sandbox import ManualClock, Tenant

from .matrix import matrix
from .usual import lasting

TOOLS = (
    *("stock_value", "inventory_at", "get_inventory_movements", "buildable", "promise_date", "order_readiness"),
    "list_blocking_ingredients",
)
DAY = 24 * 60 * 60


class Counted(Results):
    """Counts the results that were used again."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.all = 0, list[Result]()

    def keep(self, key: Hashable, result: Result) -> None:
        super().keep(key, result)
        self.all.append(result)

    def get(self, key: Hashable, objects: tuple[object, ...]) -> Result | None:
        found = super().get(key, objects)
        self.used += found is not None
        return found


def _calls(tenant: Tenant) -> Sequence[tuple[str, Mapping[str, object]]]:
    """Return the usual call of each tool, what makes a difference to it by itself, and some more that are alike."""
    usual = matrix(tenant)
    order = usual["promise_date"].changes["sales_order_id"]["sales_order_id"]
    sold = [row["variant_id"] for row in tenant.all("sales_order_rows") if row["sales_order_id"] == order]
    rows = [{"sku_or_variant_id": variant, "quantity": 900} for variant in sold]
    making = {order["id"] for order in tenant.all("manufacturing_orders") if order["status"] != "DONE"}
    recipe = tenant.all("manufacturing_order_recipe_rows")
    taken = dict.fromkeys(row["variant_id"] for row in recipe if row["manufacturing_order_id"] in making)
    parts = {row["product_variant_id"]: row["ingredient_variant_id"] for row in tenant.all("bom_rows")}
    whole = next(product for product, part in parts.items() if part in parts)
    return [
        *(
            (tool, {name: value for name, value in (usual[tool].arguments | changed).items() if value is not None})
            for tool in TOOLS
            for changed in ({}, *usual[tool].changes.values())
        ),
        *(("promise_date", {"rows": [{"sku_or_variant_id": part, "quantity": 90}]}) for part in list(taken)[:5]),
        ("promise_date", {"rows": rows}),
        ("promise_date", {"rows": rows, "sales_order_id": order}),
        ("buildable", {"skus_or_variant_ids": [whole]}),
        ("buildable", {"skus_or_variant_ids": [whole, parts[whole]]}),
    ]


class Asking:
    """Asks with results that are kept, and with none."""

    def __init__(self, stage: Stage, tenant: Tenant, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
        self._stage, self._clock, self._patch = stage, clock, monkeypatch
        self._calls, self._kept = _calls(tenant), Counted()
        for kept in ("katana_mcp.workflows.computing", "cache_typed.remembered"):
            monkeypatch.setattr(f"{kept}.MOST", 1_000_000)  # so many calls of all kinds are not those of one burst

    async def anew(self, *passes: float) -> list[object]:
        """Return the answers after some time, when all that changed meanwhile has been read."""
        for seconds in passes:
            self._clock.advance(seconds)
            for tool, arguments in dict(self._calls).items():
                await self._stage.call(tool, **arguments)
        return await self._answers()

    async def kept(self) -> list[object]:
        """Return the answers made of what was kept before."""
        with self._patch.context() as patch:
            patch.setattr(computing, "_KEPT", self._kept)
            return await self._answers()

    async def _answers(self) -> list[object]:
        return [lasting(await self._stage.call(tool, **arguments)) for tool, arguments in self._calls]

    async def kept_at_most(self, rows: int) -> list[Result]:
        """Return what is kept where no result may be of more rows."""
        with self._patch.context() as patch:
            patch.setattr(computing, "MOST_AT_ONCE", rows)
            patch.setattr(computing, "_KEPT", kept := Counted())
            await self._answers()
        return kept.all

    def used(self) -> float:
        """Return how many results of each call were used again so far."""
        return self._kept.used / len(self._calls)


@pytest.fixture
def asking(stage: Stage, tenant: Tenant, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Asking:
    return Asking(stage, tenant, clock, monkeypatch)


async def test_answers_of_results_that_are_kept_are_those_that_are_computed_anew(asking: Asking) -> None:
    first = await asking.anew(60, 60)
    assert [await asking.kept(), await asking.kept()] == [first, first]
    assert asking.used() > 1
    late = await asking.anew(30 * DAY, 60, 60)
    assert [await asking.kept(), await asking.kept()] == [late, late]
    assert late != first


@pytest.fixture
async def syncer(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Syncer:
    """What reads a cache entity anew: nothing else is read again with it, as when time passes."""
    found: list[Syncer] = []

    async def noted(services: Services, *asked: Any) -> Current:  # noqa: ANN401 - as they are
        found.append(services.syncer)
        return await current(services, *asked)

    monkeypatch.setattr(stock_value, "current", noted)
    await stage.call("stock_value")
    return found[0]


async def _synced(syncer: Syncer, entity: str) -> SyncOutcome:
    return await syncer.start(entity)


async def test_what_changes_in_katana_is_computed_anew(
    asking: Asking, tenant: Tenant, clock: ManualClock, syncer: Syncer
) -> None:
    await asking.anew(60, 60)
    seen = [await asking.kept()]
    made = [product for product in tenant.all("products") if product["is_producible"]]
    changes: tuple[tuple[str, list[dict[str, Any]], dict[str, Any]], ...] = (
        ("product", made, {"name": "Another name"}),
        ("product", made, {"category_name": "Another category"}),
        ("manufacturing_order", list(tenant.all("manufacturing_orders")), {"status": "DONE"}),
        ("bom_row", list(tenant.all("bom_rows")), {"quantity": 7}),
        ("product", made[::2], {"is_producible": False}),
        ("sales_order", list(tenant.all("sales_orders"))[:20], {"status": "DELIVERED"}),
    )
    for entity, records, changed in changes:
        clock.advance(1)
        for record in records:
            tenant.edit(f"{entity}s", record["id"], **changed)
        assert (await unstuck(clock, _synced(syncer, entity))).complete
        now = await asking.anew()
        assert now not in seen, entity
        assert await asking.kept() == now
        seen.append(now)


def _is_result(part: object) -> TypeGuard[Sized]:
    """Return whether it is an earlier result: those of records have names of fields as keys."""
    return isinstance(part, list) or (isinstance(part, dict) and not any(isinstance(key, str) for key in part))


@pytest.mark.parametrize("rows", [3, 30, 90])
async def test_what_is_made_of_results_too_large_to_be_kept_is_not_kept_either(asking: Asking, rows: int) -> None:
    await asking.anew(60, 60)
    of = [part for result in await asking.kept_at_most(rows) for part in result.of]
    inside = (inner for part in of if isinstance(part, tuple) for inner in part)
    parts = [part for part in chain(of, inside) if _is_result(part)]
    assert parts
    assert max(map(len, parts)) <= rows
