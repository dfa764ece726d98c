"""Of many records only some fields are read: no answer and no preview misses another one."""

import re
from collections.abc import Sequence

import pytest

from cache_core.protocol import ByIds, Found, Read, Selection, Stored
from cache_core.records import RecordId
from cache_core.routed import RoutedBackend
from katana_mcp.references import display_names
from katana_mcp.testing import Stage, text_of
from katana_sandbox import ManualClock, Tenant

from .matrix import A_MINUTE, matrix

_TOKEN = re.compile(r"'[\w-]{32}'|\"[\w-]{32}\"")
"""Tokens of plans, which are drawn."""


async def _get_whole(
    routed: RoutedBackend, entity: str, ids: Sequence[RecordId], _: frozenset[str] | None = None
) -> Found:
    return await routed.backend_of(entity).get_many(entity, ids)


async def _select_whole(routed: RoutedBackend, entity: str, selection: Selection) -> tuple[Stored, ...]:
    return await routed.backend_of(entity).select(entity, selection._replace(fields=None))


async def test_answers_are_the_same_as_with_whole_records(
    stage: Stage, tenant: Tenant, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = 0
    for tool, usual in matrix(tenant).items():
        clock.advance(A_MINUTE)
        said = text_of(await stage.result(tool, usual.arguments))
        with monkeypatch.context() as whole:
            whole.setattr(display_names, "READ_OF", {})
            whole.setattr(display_names, "SHOWN_OF", {})
            whole.setattr(RoutedBackend, "get_many", _get_whole)
            whole.setattr(RoutedBackend, "select", _select_whole)
            expected = text_of(await stage.result(tool, usual.arguments))
        assert _TOKEN.sub("", said) == _TOKEN.sub("", expected), tool
        named += '"name":' in said
    assert named > 40


async def test_of_a_page_of_signals_no_other_rows_are_named(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[int] = []
    read = RoutedBackend.read

    async def noted(routed: RoutedBackend, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        named.extend(len(one.ids) for one in reads if isinstance(one, ByIds) and one.entity == "variant")
        return await read(routed, reads)

    await stage.call("list_inventory_signals")  # what a first listing reads is not counted
    monkeypatch.setattr(RoutedBackend, "read", noted)
    answer = await stage.call("list_inventory_signals", limit=2)
    assert answer["total"] > len(answer["rows"]) == 2
    assert named == [2]
