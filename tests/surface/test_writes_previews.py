"""What a preview says is what is sent and what changes: no argument is lost on the way, and nothing else happens."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Stage, payload_of, staged
from katana_sandbox import ManualClock, Tenant

from .all_writes import SAGAS, WRITES
from .drawn import arguments
from .effects import Watched, as_planned, writes
from .held import held, proves_named, proves_told
from .matrix import PLANS, PLANS_SEVERAL, matrix
from .prepared import prepared
from .shapes import KEYED_BY_THE_ACCOUNT, nodes
from .writes import Arguments, Pools

pytestmark = pytest.mark.usefixtures("hasty_journal")
LISTED = {row["name"]: row["inputSchema"] for row in catalogue()}
SPECS = {spec.name: spec for spec in tools()}
SWITCHES = {"additional_info_wipe": True, "additional_info_wipe_untested": True}
"""Katana empties the notes of whatever is changed without naming them."""
NOTHING_SAID = re.compile(r"\(\)|: *([;(]|$)")
"""What a message has where it leaves out what is to be said."""
SYNCED = 300
"""Seconds after which a list that names something is asked for anew."""
SOME = settings(
    max_examples=2,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MANY = settings(SOME, max_examples=40, derandomize=False, print_blob=True)


def test_every_tool_that_plans_has_a_row_here() -> None:
    assert WRITES.keys() == PLANS - PLANS_SEVERAL


@pytest.mark.parametrize("tool", WRITES)
def test_every_argument_inside_another_has_a_value_that_must_make_a_difference(tenant: Tenant, tool: str) -> None:
    inside = {path for path, _ in nodes(LISTED[tool]) if "." in path}
    assert WRITES[tool].below(tenant, WRITES[tool].document(tenant, "BELOW")).keys() == inside


async def _wire(stage: Stage, clock: ManualClock, tool: str, asked: Arguments) -> list[object]:
    """Return the requests of a preview, with their bodies, or what speaks against one that lists none."""
    clock.advance(30)
    preview = payload_of(await stage.result(tool, asked))
    assert not NOTHING_SAID.search(preview.get("message", "")), (tool, asked, preview["message"])
    against = [warning["message"] for warning in preview["warnings"] if warning["severity"] == "blocking"]
    return [list(record) for record in as_planned(preview.get("requests", []))] or against


NOT_DRAWN = (
    SAGAS
    | {tool for tool in WRITES if "manufacturing_order" in tool}
    | {"replace_ingredient", "define_custom_field", "prioritize_orders", "change_prices", "modify_safety_stock"}
    | {"modify_traceability", "plan_bin_transfer"}
)
"""Not judged here yet: what Katana copies, uses and releases beside a manufacturing order is no field of what is sent.
`test_declared_documents.py` judges these orders, and the server's own tests what is made of them. An ingredient is
replaced in several products at once, which no `changes` say: `test_bom_writes.py` of the server judges that. A custom
field is deleted without another argument, and its choices are shown by label: `test_define_custom_field.py` there. A
rank is no field of an order: `test_prioritizing.py` of the server reads it off the sandbox. Prices, levels and bins of
several variants change at once: `test_change_prices.py` and `test_safety_stock.py` there. Katana deletes no batch:
`test_batches_changed.py` there. What lies in a bin is no field of a record: `test_bin_transfers.py` there."""


@pytest.mark.parametrize("every", [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_every_argument_at_every_depth_changes_what_is_sent(
    stage: Stage, tenant: Tenant, clock: ManualClock, every: int
) -> None:
    lost: list[str] = []
    usual = matrix(tenant)
    for place, (tool, write) in enumerate(WRITES.items()):
        if tool in NOT_DRAWN:
            continue
        plain = await _wire(stage, clock, tool, usual[tool].arguments)
        assert plain, tool
        for name, change in list(usual[tool].changes.items())[place % every :: every]:
            if await _wire(stage, clock, tool, {**usual[tool].arguments, **change}) in (plain, []):
                lost.append(f"{tool}.{name}")
        document, own = write.called(tenant, "BELOW")
        clock.advance(SYNCED)
        plain = await _wire(stage, clock, tool, own)
        for path, change in list(write.below(tenant, document).items())[place % every :: every]:
            if await _wire(stage, clock, tool, {**own, **change}) in (plain, []):
                lost.append(f"{tool}.{path}")
    assert lost == [], lost


def _with_unknown(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the arguments with a key that nobody knows in each object whose keys are ours, and its path."""
    if path.rpartition(".")[2] in KEYED_BY_THE_ACCOUNT:
        return
    if isinstance(value, dict):
        yield f"{path}.nobody_knows".lstrip("."), {**value, "nobody_knows": 1}
        for name, element in value.items():
            yield from ((where, {**value, name: other}) for where, other in _with_unknown(element, f"{path}.{name}"))
    elif isinstance(value, list):
        for place, element in enumerate(value):
            for where, other in _with_unknown(element, f"{path}[{place}]"):
                yield where, [*value[:place], other, *value[place + 1 :]]


async def test_a_key_that_nobody_knows_is_refused_by_name_at_every_depth(stage: Stage, tenant: Tenant) -> None:
    for tool, write in WRITES.items():
        document, usual = write.called(tenant, f"UNKNOWN-{tool}")
        asked = [{**usual, **change} for change in ({}, *write.below(tenant, document).values())]
        tried = {path: wrong for record in asked for path, wrong in _with_unknown(record)}
        shapes = nodes(LISTED[tool])
        objects = [
            path for path, node in shapes if node.get("type") == "object" and not node.get("additionalProperties")
        ]
        assert len(tried) >= len(objects), tool
        for path, wrong in tried.items():
            refusal = await stage.refusal(tool, **wrong)
            warnings = [(warning["code"], warning["field_path"]) for warning in refusal["warnings"]]
            assert warnings == [("unknown_argument", path)], tool
    assert writes(stage.own.sandbox.journal) == []


async def _one(stage: Stage, clock: ManualClock, tool: str, data: st.DataObject) -> str:
    """Preview and apply drawn arguments about a document of their own; return how that ended."""
    write, sandbox = WRITES[tool], stage.own.sandbox
    clock.advance(SYNCED)
    document = write.document(sandbox.tenant(), f"DRAWN-{len(sandbox.journal)}")
    drawn = data.draw(_drawn(tool, write.pools(sandbox.tenant(), document)), label=tool)
    asked = {**drawn, **write.named(document)}
    began = len(sandbox.journal)
    preview = payload_of(await stage.result(tool, asked))
    assert writes(sandbox.journal[began:]) == []
    if "plan_token" not in preview:
        return "blocked"
    watched, before = Watched(sandbox, preview["requests"]), held(sandbox.tenant(), write.follows)
    answer = await stage.call("apply_plan", plan_tokens=[preview["plan_token"]])
    (outcome,) = answer["outcomes"]
    watched.proves_true(outcome)
    planned = watched.planned
    tried = len(planned) - outcome["not_tried"]
    assert watched.sent == planned[:tried]
    if outcome["applied"] == len(planned):
        proves_named(write, preview, before, held(sandbox.tenant(), write.follows))
        proves_told(preview, sandbox.tenant().get(write.collection, outcome["id"]))
        return "applied"
    return "refused by Katana"


def _drawn(tool: str, pools: Pools) -> st.SearchStrategy[Arguments]:
    kept: frozenset[str] = getattr(SPECS[tool].request, "never_null", frozenset())
    return arguments(LISTED[tool], pools, kept)


async def _all_as_shown(data: st.DataObject) -> None:
    """Ask each tool of an account that is new and empties notes: nothing drawn may hang on earlier examples."""
    clock = ManualClock(auto=False)
    own = prepared(clock)
    for name, state in SWITCHES.items():
        own.sandbox.switches.set(name, state)
    async with staged(own) as stage:
        for tool in [write for write in WRITES if write not in NOT_DRAWN]:
            await _one(stage, clock, tool, data)


@SOME
@given(data=st.data())
async def test_what_is_sent_and_what_changes_is_what_was_shown(data: st.DataObject) -> None:
    await _all_as_shown(data)


@pytest.mark.first
@pytest.mark.soak
@MANY
@given(data=st.data())
async def test_whatever_is_asked_what_is_sent_and_what_changes_is_what_was_shown(data: st.DataObject) -> None:
    await _all_as_shown(data)
