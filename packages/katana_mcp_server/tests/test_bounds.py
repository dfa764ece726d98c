"""Many variants at once: no answer outgrows what hosts take, and asking for what is left loses nothing."""

import ast
from collections.abc import Sequence

import pytest
from server_wire import live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, payload_of, staged, text_of
from katana_sandbox import Tenant

TOOLS: list[tuple[str, str, Payload]] = [
    ("get_variant_details", "variants", {}),
    ("check_inventory", "stock", {}),
    ("inventory_at", "stock", {"as_of": "2026-03-02T09:00:00Z"}),
]


async def bounded(stage: Stage, tool: str, arguments: Payload) -> Payload:
    """Return an answer that is not too large."""
    result = await stage.result(tool, arguments)
    assert not result.is_error, payload_of(result)
    assert len(text_of(result).encode()) <= 40_000
    return payload_of(result)


def left_of(answer: Payload, asked: Sequence[object]) -> list[object]:
    """Return what the answer says to ask next."""
    if "truncated_result" not in {warning["code"] for warning in answer["warnings"]}:
        return []
    names = answer["next_actions"][0].partition("skus_or_variant_ids=")[2].removesuffix(")")
    if names.startswith("["):
        return ast.literal_eval(names)
    assert names.startswith("the last "), names
    return list(dict.fromkeys(asked))[-int(names.split()[2]) :]


@pytest.mark.parametrize(("tool", "rows", "more"), TOOLS, ids=[tool for tool, _, _ in TOOLS])
async def test_all_variants_of_which_many_are_gone_come_in_answers_that_fit(
    stage: Stage, tenant: Tenant, tool: str, rows: str, more: Payload
) -> None:
    for variant in live(tenant, "variants")[40:100]:
        tenant.delete("variants", variant["id"])
    every: list[object] = [variant["id"] for variant in tenant.all("variants")]
    left, seen, warned = every, list[int](), set[str]()
    while left:
        answer = await bounded(stage, tool, {"skus_or_variant_ids": left, **more})
        seen += [row["variant_id"] for row in answer[rows]]
        warned |= {warning["message"] for warning in answer["warnings"] if warning["code"] == "deleted_item"}
        left = left_of(answer, left)
    assert seen == every
    assert len(warned) == sum(1 for variant in tenant.all("variants") if variant["deleted_at"] is not None) > 60


@pytest.mark.parametrize("tool", [tool for tool, _, _ in TOOLS[:2]])
async def test_long_names_that_nothing_has_come_in_answers_that_fit(
    stage: Stage, tool: str, subtests: pytest.Subtests
) -> None:
    for kind, text in {"plain": "x" * 240, "cyrillic": "\u0436" * 240, "hidden": "\u202e" * 240}.items():
        with subtests.test(kind):
            every: list[object] = [f"{text}{nr}" for nr in range(250)]
            left, unknown = every, list[str]()
            while left:
                answer = await bounded(stage, tool, {"skus_or_variant_ids": left})
                unknown += [missing["asked"] for missing in answer["not_found"]]
                left = left_of(answer, left)
            assert len(unknown) == len(set(unknown)) == len(every)


@pytest.mark.parametrize("tool", ["get_bom", "get_inventory_movements"])
async def test_rows_beside_many_long_names_that_nothing_has_come_in_answers_that_fit(
    stage: Stage, tenant: Tenant, tool: str
) -> None:
    variant_ids = [variant["id"] for variant in live(tenant, "variants")[:150]]
    asked = [*variant_ids, *(f"{nr:\u0436<240}" for nr in range(100))]
    answer = await bounded(stage, tool, {"skus_or_variant_ids": asked, "limit": 250})
    unknown, said = len(answer["not_found"]), [warning["message"] for warning in answer["warnings"]]
    assert answer["has_more"] is True
    assert len(answer["rows"]) > 10
    assert 10 < unknown < 100
    assert f"{100 - unknown} more of those asked were not found or need a remark; ask for fewer at once" in said


async def test_a_sku_that_very_many_variants_have_comes_whole(own: OwnSandbox, tenant: Tenant) -> None:
    shared = live(tenant, "variants")[:160]
    for variant in shared:
        tenant.edit("variants", variant["id"], sku="SHARED")
    async with staged(own) as stage:
        left, seen, messages = list[object](["SHARED"]), list[int](), list[str]()
        while left:
            answer = await bounded(stage, "get_variant_details", {"skus_or_variant_ids": left})
            seen += [variant["variant_id"] for variant in answer["variants"]]
            messages += [warning["message"] for warning in answer["warnings"] if warning["code"] == "duplicate_sku"]
            left = left_of(answer, left)
    ids = [record["id"] for record in shared]
    assert seen == ids
    some = ", ".join(map(str, ids[:20]))
    assert messages == [f"{len(ids)} variants have the SKU 'SHARED': all are shown, ids {some} and more"]
