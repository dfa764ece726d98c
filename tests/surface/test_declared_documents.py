"""Every declared document: a plan gives the state that it says, its way back the one before, a refusal names a rule."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cache_core.records import canonical
from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.states import named_in, transition
from katana_mcp.documents.transition import Facts, New
from katana_mcp.entities.customers.writes import CUSTOMER
from katana_mcp.entities.items.goods import MATERIAL, PRODUCT
from katana_mcp.entities.items.services import SERVICE
from katana_mcp.entities.manufacturing_orders.writes import MANUFACTURING_ORDER
from katana_mcp.entities.purchase_orders.receipts import RECEIVED
from katana_mcp.entities.purchase_orders.writes import PURCHASE_ORDER
from katana_mcp.entities.sales_orders.writes import SALES_ORDER
from katana_mcp.entities.sales_returns.writes import SALES_RETURN
from katana_mcp.entities.stock_adjustments.writes import STOCK_ADJUSTMENT
from katana_mcp.entities.stock_transfers.writes import STOCK_TRANSFER
from katana_mcp.entities.suppliers.writes import SUPPLIER
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.surface.descriptor import Verb
from katana_mcp.testing import Payload, Stage, payload_of, staged
from katana_mcp.tools import warning_codes
from katana_mcp.tools.days import DayReading, days_in
from katana_mcp.tools.requests import Request
from katana_mcp.values import rows as rows_in
from katana_mcp.writing.meaning import model_of, same
from katana_sandbox import ManualClock, Tenant

from .all_writes import WRITES
from .drawn import arguments
from .forms import as_requested
from .held import proves_told
from .prepared import prepared
from .writes import Arguments, Pools, Record, Write, live
from .writes_items import MATERIALS, SERVICES

pytestmark = pytest.mark.usefixtures("hasty_journal")
DECLARED: Mapping[str, Writable] = {
    "stock_transfers": STOCK_TRANSFER,
    "customers": CUSTOMER,
    "suppliers": SUPPLIER,
    "items": PRODUCT,
    "stock_adjustments": STOCK_ADJUSTMENT,
    "sales_orders": SALES_ORDER,
    "sales_returns": SALES_RETURN,
    "purchase_orders": PURCHASE_ORDER,
    "manufacturing_orders": MANUFACTURING_ORDER,
}
"""By the folder of the entity."""
OTHER_KINDS = {MATERIAL.entity: (MATERIAL, MATERIALS), SERVICE.entity: (SERVICE, SERVICES)}
"""Kinds of record with the tools of another one, each with its own rows."""
LISTED = {row["name"]: row["inputSchema"] for row in catalogue()}
SPECS = {tool.name: tool for tool in tools()}
KEPT_AS = {
    "location": ("locations", "name"),
    "variant": ("variants", "sku"),
    "customer": ("customers", "name"),
    "supplier": ("suppliers", "name"),
    "tax_rate": ("tax_rates", "name"),
    "sales_order": ("sales_orders", "order_no"),
    "additional_cost": ("additional_costs", "name"),
}
"""Where a record is that a request names, and by which field."""
SHIPPED = {"PARTIALLY_PACKED", "PACKED", "PARTIALLY_DELIVERED", "DELIVERED"}
MAY_BE_REFUSED = {warning_codes.STOCK_WAS_MOVED, warning_codes.BILLED_ORDER, warning_codes.LOCKED}
"""What a preview says where only Katana knows whether it takes a request."""
SYNCED = 300
"""Seconds after which a list that names something is asked for anew."""
SOME = settings(
    max_examples=1,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MANY = settings(SOME, max_examples=30, derandomize=False, print_blob=True)
VERBS: tuple[Verb, ...] = ("create", "modify", "delete")
CASES = [
    *(pytest.param(doc, verb, id=doc.tool(verb)) for doc in DECLARED.values() for verb in VERBS),
    *(pytest.param(doc, verb, id=f"{verb}_{doc.entity}") for doc, _ in OTHER_KINDS.values() for verb in VERBS),
]


def test_every_declaration_is_tried_here() -> None:
    root = Path(__file__).resolve().parents[2] / "packages/katana_mcp_server/src/katana_mcp/entities"
    assert {path.parent.name for path in root.glob("*/writes.py")} == DECLARED.keys()


def _facts(doc: Writable, request: Request, record: Record | None, tenant: Tenant, preview: Payload) -> Facts:
    """Return what a plan knows of a request, read past the server."""
    facts = Facts(record=None if record is None else canonical(record))
    asked = named_in(request)
    lists = [f"{verb}{part.name}" for part in doc.parts for verb in ("", "add_", "update_")]
    rows = [named_in(row) for name in lists for row in cast("Sequence[Request]", asked.get(name, ()))]
    fields = [*doc.head, *(field for part in doc.parts for field in part.fields)]
    found: dict[tuple[str, int | str], Named] = {}
    for reference in [field for field in fields if field.names]:
        collection, called = KEPT_AS[reference.names]
        for value in [row[reference.arg] for row in (asked, *rows) if row.get(reference.arg) is not None]:
            records = [record for record in live(tenant, collection) if value in (record["id"], record.get(called))]
            found[reference.names, cast("int", value)] = Named(cast("int", value), (NamedRecord(id=records[0]["id"]),))
    is_counted = record is None and bool(doc.key.prefix)
    numbered = Numbered(number=preview["number"]) if is_counted else None
    defined = {definition["id"]: canonical(definition) for definition in live(tenant, "custom_field_definitions")}
    beside = {part.entity: tuple(rows_in(facts.record or {}, part.held)) for part in doc.parts if part.entity}
    return Facts(record=facts.record, references=found, numbered=numbered, beside=beside, definitions=defined)


def _held(doc: Writable, tenant: Tenant, key: int) -> Record | None:
    """Return a document as Katana has it, with its live parts; None where it is deleted."""
    record = tenant.get(doc.collection, key)
    if record["deleted_at"]:
        return None
    parts = {part.held: _parts_of(part, record, tenant) for part in doc.parts}
    return canonical({**as_requested(doc.collection, record), **parts})


def _parts_of(part: Part, record: Record, tenant: Tenant) -> list[Record]:
    if part.entity:
        return [row for row in live(tenant, part.collection) if row[part.parent] == record[part.parent_is]]
    return [{**row} for row in rows_in(record, part.held) if not row.get("deleted_at") and (row or not part.collection)]


def _differing(
    doc: Writable, expected: Mapping[str, Any], real: Record, added: Mapping[str, Sequence[int]]
) -> list[str]:
    """Return what a document has otherwise than expected, but for what Katana fills in."""
    model = model_of(doc.collection)
    wrong: list[str] = []
    for field in doc.head:
        value = expected.get(field.name)
        if isinstance(value, New):
            value = added[value.part][value.place]
        parts = [row["id"] for part in doc.parts if part.name == field.part for row in real[part.held]]
        if field.part and value not in parts:
            continue  # which part it is then, Katana says by itself
        is_open = field.filled and value is None
        if not is_open and not same(model, field.name, value, real.get(field.name)):
            wrong.append(f"{field.name}: {value} expected, {real.get(field.name)} found")
    if doc.status is not None and expected["status"] != real["status"]:
        wrong.append(f"status: {expected['status']} expected, {real['status']} found")
    for part in [part for part in doc.parts if not part.filled or expected[part.held] or "id" in expected]:
        wrong += _other_parts(doc, part, expected[part.held], real[part.held])
    return wrong


def _other_parts(doc: Writable, part: Part, expected: Sequence[Record], real: Sequence[Record]) -> list[str]:
    model = model_of(part.collection or doc.collection)
    left = list(real)
    wrong: list[str] = []
    for row in expected:
        fields: list[Field] = [field for field in part.fields if not field.filled or _is_sure(field, row)]
        match = next(
            (
                other
                for other in left
                if row.get("id") in (None, other["id"])
                and all(same(model, field.name, row.get(field.name), other.get(field.name)) for field in fields)
            ),
            None,
        )
        if match is None:
            wrong.append(f"{part.one} expected: {row}")
        else:
            left.remove(match)
    return wrong + [f"{part.one} too many: {row}" for row in left]


def _is_sure(field: Field, row: Record) -> bool:
    """Return whether a field that Katana fills in is to be what it was, or what is asked for."""
    return row.get(field.name) is not None and "modify" in field.verbs


def _row(doc: Writable, tool: str) -> Write:
    return OTHER_KINDS[doc.entity][1][tool] if doc.entity in OTHER_KINDS else WRITES[tool]


def _drawn(doc: Writable, tool: str, pools: Pools, data: st.DataObject) -> Arguments:
    kept: frozenset[str] = getattr(SPECS[tool].request, "never_null", frozenset())
    verb = cast("Verb", tool.partition("_")[0])
    own, listed = request_of(doc, verb).model_fields, LISTED[tool]
    schema = {**listed, "properties": {name: node for name, node in listed["properties"].items() if name in own}}
    schema["required"] = [name for name, field in own.items() if field.is_required()]
    drawn = data.draw(arguments(schema, pools, kept), label=tool)
    return _each_part_once(doc, drawn) if data.draw(st.integers(0, 4), label="named once") else drawn


def _each_part_once(doc: Writable, asked: Arguments) -> Arguments:
    """Return arguments that name each part once: of those that are drawn most would be refused."""
    seen: set[object] = set()
    once = dict(asked)
    for part in doc.parts:
        for name in (f"update_{part.name}", part.deletes):
            entries = cast("list[Any]", asked.get(name) or [])
            ids = [entry[part.key] if isinstance(entry, dict) else entry for entry in entries]
            first = [place for place, key in enumerate(ids) if key not in seen | set(ids[:place])]
            seen |= set(ids)
            once |= {name: [entries[place] for place in first]} if entries else {}
    return once


async def _applied(stage: Stage, preview: Payload) -> Payload | None:
    """Return the outcome of a plan; None where Katana refused what the preview said that it may refuse."""
    (outcome,) = (await stage.call("apply_plan", plan_tokens=[preview["plan_token"]]))["outcomes"]
    if outcome["applied"] == len(outcome["actions"]):
        return outcome
    assert {warning["code"] for warning in preview["warnings"]} & MAY_BE_REFUSED, (preview, outcome)
    return None


def _in_status(doc: Writable, status: str, document: Record, tenant: Tenant, data: st.DataObject) -> Record:
    """Return a document in a status: what is received or shipped of an order is so, in part of a row or in whole."""
    if doc is SALES_ORDER and status in SHIPPED:
        return _shipped(status, document, tenant)
    if doc is not PURCHASE_ORDER or status not in RECEIVED:
        return tenant.edit(doc.collection, document["id"], True, status=status)
    found = document["purchase_order_rows"]
    if status == "PARTIALLY_RECEIVED":
        found = found[: data.draw(st.integers(1, len(found) - 1), label="rows that came")]
    share = 1 if status == "RECEIVED" else data.draw(st.sampled_from((1, 0.5)), label="share of each")
    came = [{"purchase_order_row_id": row["id"], "quantity": row["quantity"] * share} for row in found]
    tenant.create("purchase_order_receive", cast("Any", came))
    received = tenant.get(doc.collection, document["id"])
    assert received["status"] == status
    return received


def _shipped(status: str, order: Record, tenant: Tenant) -> Record:
    """Return an order of which one shipment has that much."""
    found, share = order["sales_order_rows"], 1.0
    if status.startswith("PARTIALLY_"):
        found, share = found[:1], 0.5
    gone = [{"sales_order_row_id": row["id"], "quantity": row["quantity"] * share} for row in found]
    shipment: dict[str, Any] = {"sales_order_id": order["id"], "picked_date": "2026-03-01T08:00:00.000Z"}
    shipment |= {"status": status.removeprefix("PARTIALLY_"), "sales_order_fulfillment_rows": gone}
    tenant.create("sales_order_fulfillments", shipment)
    shipped = tenant.get("sales_orders", order["id"])
    assert shipped["status"] == status
    return shipped


async def _one(stage: Stage, clock: ManualClock, doc: Writable, verb: Verb, data: st.DataObject) -> None:
    """Ask for something drawn, of a document in a status that is drawn; apply it, and take it back."""
    tool, tenant = doc.tool(verb), stage.own.sandbox.tenant()
    write = _row(doc, tool)
    clock.advance(SYNCED)
    document = write.document(tenant, f"DRAWN-{len(stage.own.sandbox.journal)}")
    if doc.status is not None and document:
        statuses = [*dict.fromkeys(status for pair in doc.status.refused for status in pair), doc.status.first]
        drawn = data.draw(st.sampled_from(statuses), label="status")
        document = _in_status(doc, drawn, document, tenant, data)
    asked = {**_drawn(doc, tool, write.pools(tenant, document), data), **write.named(document)}
    before = _held(doc, tenant, document["id"]) if document else None
    preview = payload_of(await stage.result(tool, asked))
    if "plan_token" not in preview:
        against = [warning for warning in preview["warnings"] if warning["severity"] == "blocking"]
        assert against, preview
        assert {warning["code"] for warning in against} <= CODES, against
        return
    days = DayReading(days_in(next(tenant.all("factory"))["timezone"]))
    request = SPECS[tool].request.model_validate(asked, context=days)
    change = transition(doc, verb, request, _facts(doc, request, before, tenant, preview))
    outcome = await _applied(stage, preview)
    if outcome is None:
        return
    real = _held(doc, tenant, outcome["id"])
    assert (real is None) is (change.after is None)
    made = [action["id"] for action in outcome["actions"] if action["method"] == "POST"]
    if real is not None and change.after is not None:
        added = {part.name: made for part in doc.parts}
        assert _differing(doc, change.after, real, added) == [], (asked, preview)
        proves_told(preview, tenant.get(doc.collection, real["id"]))
    clock.advance(SYNCED)
    await _taken_back(stage, doc, before, preview, outcome)


CODES = {value for name, value in vars(warning_codes).items() if name.isupper() and isinstance(value, str)}


async def _taken_back(stage: Stage, doc: Writable, before: Record | None, preview: Payload, outcome: Payload) -> None:
    """Assert that the way back of an outcome gives the document as it was, or that the preview said what it leaves."""
    tenant = stage.own.sandbox.tenant()
    left = [warning["field_path"] for warning in preview["warnings"] if warning["code"] == warning_codes.NO_WAY_BACK]
    revert = outcome.get("revert")
    assert (revert is None) is (None in left), preview
    if revert is None:
        return
    back = payload_of(await stage.result(revert["tool"], revert["arguments"]))
    assert "plan_token" in back, (outcome, back)
    undone = await _applied(stage, back)
    if undone is None:
        return
    real = _held(doc, tenant, undone["id"])
    if before is None:
        assert real is None
        return
    assert real is not None
    anew = {part.held: [{**row, "id": None} for row in before[part.held]] for part in doc.parts}
    entries = {field.name: _without_ids(before.get(field.name)) for field in doc.head if field.in_words is not None}
    wrong = _differing(doc, {**before, **entries, **anew}, real, {})
    assert [difference for difference in wrong if difference.split(":")[0] not in left] == [], (preview, outcome, back)


def _without_ids(entries: object) -> object:
    """Return the entries of a list without what Katana gives them by itself."""
    found = cast("Sequence[Record]", entries or ())
    return [{name: value for name, value in record.items() if not name.endswith("id")} for record in found]


async def _tried(doc: Writable, verb: Verb, data: st.DataObject) -> None:
    """Try it in an account that is new: nothing drawn may hang on earlier examples."""
    clock = ManualClock(auto=False)
    async with staged(prepared(clock)) as stage:
        await _one(stage, clock, doc, verb, data)


@pytest.mark.parametrize(("doc", "verb"), CASES)
@SOME
@given(data=st.data())
async def test_a_plan_gives_what_it_says_and_its_way_back_what_was(
    doc: Writable, verb: Verb, data: st.DataObject
) -> None:
    await _tried(doc, verb, data)


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("doc", "verb"), CASES)
@MANY
@given(data=st.data())
async def test_whatever_is_asked_a_plan_gives_what_it_says_and_its_way_back_what_was(
    doc: Writable, verb: Verb, data: st.DataObject
) -> None:
    await _tried(doc, verb, data)
