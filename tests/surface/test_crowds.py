"""Two hundred calls at once, on rows that are all old: nothing is asked twice, and nobody waits long."""

import asyncio
from collections import Counter

import pytest

from katana_mcp.testing import Payload, Stage, paced, payload_of, within
from katana_sandbox import Delay, Fault, JournalEntry, ManualClock

from .matrix import ABSENT, let_ask, matrix
from .test_troubles import TOOLS

pytestmark = pytest.mark.threads

CALLS = 200
LATENCY = 0.15
_STOCK = "/v1/inventory"
_OF_LISTINGS = {"include_deleted", "include_archived", "updated_at_min", "limit", "page"}


def _begins_a_listing(entry: JournalEntry) -> bool:
    """Return whether it is the first page of anything but stock, as against a total, or a later page."""
    query = dict(entry.query)
    return query.get("limit") != "1" and query.get("page", "1") == "1" and entry.path != _STOCK


def _named(entry: JournalEntry) -> tuple[tuple[str, str], ...]:
    """Return by what it looks for records: by nothing where it lists all, or all that changed."""
    return tuple(pair for pair in entry.query if pair[0] not in _OF_LISTINGS)


@pytest.mark.soak
async def test_two_hundred_warm_calls_cost_one_sync_of_each_entity_and_less_than_two_seconds(
    stage: Stage, clock: ManualClock
) -> None:
    usual = matrix(stage.own.sandbox.tenant())
    for tool in TOOLS:
        let_ask(tool, clock)
        await stage.call(tool, **usual[tool].arguments)
    clock.advance(3_000)
    before = stage.requests()
    stage.own.sandbox.faults.add(Fault("*", action=Delay(LATENCY), times=None))
    crowd = [
        stage.result(TOOLS[index % len(TOOLS)], usual[TOOLS[index % len(TOOLS)]].arguments) for index in range(CALLS)
    ]
    results = await within(clock, 2, asyncio.gather(*crowd))
    assert [refused(payload_of(result)) for result in results if result.is_error] == []
    await paced(clock, clock.sleep(30), 1)
    asked = list(stage.own.sandbox.journal)[before:]
    first_pages = [entry.query for entry in asked if entry.path == _STOCK and dict(entry.query)["page"] == "1"]
    variants = [value for query in first_pages for name, value in query if name == "variant_id"]
    assert len(variants) == len(set(variants)) > 100
    begun = Counter((entry.path, _named(entry)) for entry in asked if _begins_a_listing(entry))
    assert len(begun) > 15
    # The SKU that nothing has is asked for once in each place; services have no filter of SKUs, and are listed again.
    absent = {("/v1/variants", (("sku", ABSENT),)): 1, ("/v1/services", ()): 2}
    assert {key: times for key, times in begun.items() if times != 1 or key[1]} == absent
    assert {entry.status for entry in asked} == {200}


def refused(payload: Payload | None) -> object:
    return (payload or {}).get("warnings")
