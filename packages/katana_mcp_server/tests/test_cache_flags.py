import re
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from cache_core.compared import Comparison
from katana_mcp.caches.backends import BACKENDS
from katana_mcp.configuration.backend_flags import DEFAULTS, FLAGS, Flag, chosen_flags
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.testing import Payload, Setup, Stage, staged
from katana_sandbox import Fault, ManualClock, Status
from katana_sandbox.store.keys import FIRST_ID

MIXED = tuple(
    {"cache_backend": others, "cache_backend_product": parents, "cache_backend_material": parents}
    for parents, others in permutations(BACKENDS, 2)
)
STATES = (*({"cache_backend": flag} for flag in FLAGS if flag not in BACKENDS or len(FLAGS) == 1), *MIXED)
"""Parallel runs, which answer by either backend and raise what the other answers differently, and mixtures of both."""
FLIPS = tuple(permutations(FLAGS, 2))
ROUND = tuple(zip(FLAGS, (*FLAGS[1:], FLAGS[0]), strict=True))
"""Flips by which each flag is left and reached once."""

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_items", {"query": "00.4021.018.003"}),
    ("search_items", {"query": "00.4021", "limit": 50}),
    ("search_items", {"query": "e-bike"}),
    ("search_customers", {"query": "bikes"}),
    ("get_variant_details", {"skus_or_variant_ids": ["FSKT-35M", "FSKT-32M", FIRST_ID + 3]}),
    ("check_inventory", {"skus_or_variant_ids": ["FSKT-35M", "FSKT-32M"]}),
    ("get_inventory_movements", {"skus_or_variant_ids": ["FSKT-35M", "fskt-32m"], "location_id": "Main workshop"}),
    ("inventory_at", {"skus_or_variant_ids": ["FSKT-35M", "fskt-32m"], "as_of": "2026-02-14T12:00:00Z"}),
    ("get_bom", {"skus_or_variant_ids": ["FSKT-35M", FIRST_ID + 7], "direction": "where_used"}),
    ("get_bom", {"skus_or_variant_ids": [FIRST_ID + 7]}),
    ("list_low_stock_items", {"include_expected": False, "location_id": "Main workshop"}),
    ("list_blocking_ingredients", {"location_id": "Main workshop"}),
    ("order_readiness", {"location_id": "Main workshop"}),
    ("buildable", {"location_id": "Main workshop"}),
    ("stock_value", {"since": "2026-02-01", "as_of": "2026-02-28"}),
    ("trace", {"number": "MO-5", "kind": "manufacturing_order"}),
    ("promise_date", {"rows": [{"sku_or_variant_id": "FSKT-35M", "quantity": 200}]}),
    ("list_sales_orders", {"overdue": True, "include_rows": True}),
    ("search_sales_orders", {"query": "berger"}),
)


class Kept:
    """Keeps every comparison of a parallel run."""

    def __init__(self) -> None:
        self.comparisons: list[Comparison] = []

    def record(self, comparison: Comparison) -> None:
        self.comparisons.append(comparison)


async def _answers(stage: Stage) -> list[Payload]:
    answers = [await stage.call(tool, **arguments) for tool, arguments in CALLS]
    return [{key: value for key, value in answer.items() if key != "as_of"} for answer in answers]


@pytest.mark.parametrize("every", [pytest.param(4, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_every_flag_state_gives_the_same_answers(
    own: OwnSandbox, clock: ManualClock, subtests: pytest.Subtests, every: int
) -> None:
    async with staged(own) as stage:
        expected = await _answers(stage)
    for flags in STATES[::every]:
        clock.advance(60)  # Katana answers 60 requests a minute
        kept = Kept()
        with subtests.test(" ".join(flags.values())):
            async with staged(own, Setup(flags=flags, recorder=kept)) as stage:
                assert await _answers(stage) == expected
            assert [comparison for comparison in kept.comparisons if comparison.mismatch or comparison.error] == []
            assert bool(kept.comparisons) is any(flag.startswith("compare") for flag in flags.values())


@pytest.mark.parametrize("flag", FLAGS)
async def test_a_server_under_test_stands_in_the_state_that_the_environment_names(
    own: OwnSandbox, monkeypatch: pytest.MonkeyPatch, flag: Flag
) -> None:
    monkeypatch.setenv("KATANA_CACHE_BACKEND", flag)
    kept = Kept()
    async with staged(own, Setup(recorder=kept)) as stage:
        await stage.call("search_items", query="00.4021")
        status = await stage.call("cache_status")
    backends = {entity["entity"]: entity["backend"] for entity in status["entities"]}
    assert {backends[entity] for entity in DEFAULTS} == {flag.removeprefix("compare:")}
    assert bool(kept.comparisons) is flag.startswith("compare:")


@pytest.mark.parametrize(
    ("before", "after"),
    [pytest.param(*flip, id=" then ".join(flip), marks=[] if flip in ROUND else [pytest.mark.soak]) for flip in FLIPS],
)
async def test_a_flip_is_filled_from_the_other_backend_and_asks_katana_nothing(
    own: OwnSandbox, tmp_path: Path, before: Flag, after: Flag
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": before})) as stage:
        expected = await stage.call("search_items", query="00.4021", limit=50)
    asked = len(own.sandbox.journal)
    own.sandbox.faults.add(Fault("GET /*", action=Status(503), times=None))
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": after})) as stage:
        assert await stage.call("search_items", query="00.4021", limit=50) == expected
        status = await stage.call("cache_status")
    assert len(own.sandbox.journal) == asked
    backends = {entity["entity"]: entity["backend"] for entity in status["entities"]}
    assert backends["variant"] == after.removeprefix("compare:")


def test_what_ships_holds_the_catalogue_typed_and_trials_nothing() -> None:
    flags = chosen_flags(None, {})
    assert {flags[entity] for entity in ("variant", "product", "material", "service", "customer")} == {"typed"}
    assert {flag.removeprefix("compare:") for flag in FLAGS} == set(BACKENDS) >= set(flags.values())
    assert flags == dict(DEFAULTS)
    assert len(flags) == 9


def test_one_entity_can_differ_from_the_default() -> None:
    chosen = chosen_flags(FLAGS[0], {"variant": FLAGS[-1]})
    assert chosen == {**dict.fromkeys(DEFAULTS, FLAGS[0]), "variant": FLAGS[-1]}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("KATANA_CACHE_BACKEND_VARIANTS", "did you mean KATANA_CACHE_BACKEND_VARIANT?"),
        ("KATANA_CACHE_BACKENDS", "did you mean KATANA_CACHE_BACKEND?"),
        ("KATANA_SANDBX", "did you mean KATANA_SANDBOX?"),
        ("KATANAAPI_KEY", "did you mean KATANA_API_KEY?"),
        ("katana_mcp_toolset", "did you mean KATANA_MCP_TOOLSETS?"),
        (
            "KATANA_MCP_COLOUR",
            "there are KATANA_API_KEY, KATANA_API_KEY_FILE, KATANA_API_KEY_KEYRING, ",
        ),
    ],
)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_misspelt_setting_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, meant: str, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if place == "file":
        (tmp_path / ".env").write_text(f"{name}=typed\n")
    else:
        monkeypatch.setenv(name, "typed")
    with pytest.raises(SettingsError, match=f"^{name.upper()}: no such setting; {re.escape(meant)}"):
        load(sandbox=True)


def test_a_variable_of_another_program_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATANA_FORGE_HOME", "/forge")
    monkeypatch.setenv("KATA", "1")
    assert load(sandbox=True).sandbox


def test_a_wrong_value_names_the_allowed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATANA_CACHE_BACKEND_VARIANT", "typd")
    with pytest.raises(SettingsError, match="KATANA_CACHE_BACKEND_VARIANT") as refused:
        load(sandbox=True)
    assert str(refused.value).endswith(", ".join(FLAGS))


def test_what_the_typed_backend_loads_late_is_not_looked_through_for_garbage() -> None:
    code = (
        "import gc; from katana_mcp.caches.backends import BACKENDS; BACKENDS['typed'](None, ()); import sqlmodel;"
        " print(any(value is sqlmodel.SQLModel for value in gc.get_objects()))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "False\n"
