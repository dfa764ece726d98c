"""What we wrote is what every tool that reads shows from then on, however far Katana's replicas lag."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from katana_mcp.entities import ENTITIES
from katana_mcp.surface.descriptor import Entity
from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Fault, ManualClock, ReplicaLag, Tenant

from .alike import alike
from .all_writes import WRITES
from .held import proves_told

pytestmark = pytest.mark.usefixtures("hasty_journal")
WRITTEN = [entity for entity in ENTITIES if entity.writes]
LAG = 600
CHANGED: dict[str, dict[str, object]] = {
    "stock_transfer": {"additional_info": "kept dry", "expected_arrival_date": "2026-04-05", "status": "inTransit"},
    "stock_adjustment": {"additional_info": "second count", "reason": "Counted twice"},
    "sales_order": {"additional_info": "by rail", "customer_ref": "PO 7", "status": "PENDING"},
    "sales_return": {"additional_info": "by rail", "tracking_number": "1Z 7", "order_no": "RO-907"},
    "item": {"additional_info": "by appointment", "is_sellable": False, "uom": "min"},
    "customer": {"comment": "pays late", "category": "Dealer", "discount_rate": 5},
    "supplier": {"comment": "delivers on Fridays", "phone": "+372 555 01"},
    "manufacturing_order": {"additional_info": "rack 3", "planned_quantity": 9, "status": "BLOCKED"},
    "purchase_order": {"additional_info": "by rail", "expected_arrival_date": "2026-04-05", "status": "DRAFT"},
}
"""What is changed of a new document of each entity."""
LISTED_WITH: dict[str, dict[str, object]] = {"item": {"type": ["product"]}}
SHOWN_WITH: dict[str, dict[str, object]] = {"item": {"item_type": "product"}}
"""What a list and a get need besides an id that other records have too."""


async def _applied(stage: Stage, clock: ManualClock, tool: str, **arguments: object) -> tuple[Payload, int]:
    """Plan and apply; return the preview and the id of the document."""
    clock.advance(61)
    preview = await stage.call(tool, **arguments)
    asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
    (outcome,) = payload_of(await within(clock, 400, asked))["outcomes"]
    assert [action["state"] for action in outcome["actions"]] == ["applied"] * len(preview["requests"]), outcome
    return preview, outcome["id"]


async def _referred(stage: Stage, entity: Entity, **asked: object) -> list[dict[str, Any]]:
    """Return what `list_reference` has of an entity that is neither searched nor listed by itself."""
    return (await stage.call("list_reference", kind=entity.name, limit=250, **asked))["rows"]


async def _listed(stage: Stage, entity: Entity, id: int) -> list[dict[str, Any]]:
    if entity.list_request is None:
        return [row for row in await _referred(stage, entity) if row[f"{entity.name}_id"] == id]
    return (await stage.call(f"list_{entity.plural}", ids=[id], **LISTED_WITH.get(entity.name, {})))["rows"]


async def _found(stage: Stage, entity: Entity, text: str) -> set[int]:
    if entity.searched:
        rows = (await stage.call(f"search_{entity.plural}", query=text))["rows"]
    elif entity.list_request is not None:
        rows = [row for row in (await stage.call(f"list_{entity.plural}"))["rows"] if text in str(row)]
    else:
        rows = await _referred(stage, entity, query=text)
    return {row[f"{entity.name}_id"] for row in rows}


async def _shown(stage: Stage, entity: Entity, id: int) -> dict[str, Any]:
    if entity.get is None:
        return json.loads(await stage.read(f"katana://{entity.name}/{id}"))["record"]
    asked: dict[str, object] = {f"{entity.name}_id": id, **SHOWN_WITH.get(entity.name, {})}
    answer = await stage.call(f"get_{entity.name}", **asked)
    return answer[
        next(name for name in answer if isinstance(answer[name], dict) and f"{entity.name}_id" in answer[name])
    ]


def _heads(preview: Payload, shown: dict[str, Any]) -> Iterator[tuple[str, object, object]]:
    """Yield each field of the head that a preview changes, as it was to be and as it is shown."""
    for change in preview["changes"]:
        if "[" not in change["field"] and change["field"] in shown:
            yield change["field"], change.get("new"), shown[change["field"]]


@pytest.mark.parametrize("entity", WRITTEN, ids=lambda entity: entity.name)
async def test_what_we_wrote_is_read_at_once_by_every_tool_that_shows_it(
    stage: Stage, clock: ManualClock, tenant: Tenant, entity: Entity
) -> None:
    subject, text = f"{entity.name}_id", "READ-1"
    _, arguments = WRITES[f"create_{entity.name}"].called(tenant, text)
    clock.advance(LAG)
    await _found(stage, entity, text)
    stage.own.sandbox.faults.add(Fault("GET *", action=ReplicaLag(LAG), times=None))
    write = WRITES[f"modify_{entity.name}"]
    created, id = await _applied(stage, clock, f"create_{entity.name}", **arguments)
    proves_told(created, tenant.get(write.collection, id))
    assert ([row[subject] for row in await _listed(stage, entity, id)], id in await _found(stage, entity, text)) == (
        [id],
        True,
    )
    assert text in str(await _shown(stage, entity, id))

    preview, _ = await _applied(
        stage, clock, f"modify_{entity.name}", **write.named({"id": id}), **CHANGED[entity.name]
    )
    proves_told(preview, tenant.get(write.collection, id))
    heads = list(_heads(preview, await _shown(stage, entity, id)))
    assert {name for name, *_ in heads} == set(CHANGED[entity.name])
    assert [head for head in heads if not alike(head[1], head[2])] == []

    await _applied(stage, clock, f"delete_{entity.name}", **write.named({"id": id}))
    kept = [True] if entity.list_request is not None else []  # reference data is listed while it is live
    assert ["deleted_at" in row for row in await _listed(stage, entity, id)] == kept
    assert id not in await _found(stage, entity, text)
    assert (await _shown(stage, entity, id))["deleted_at"]
