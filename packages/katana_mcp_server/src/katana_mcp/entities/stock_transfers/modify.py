"""`modify_stock_transfer`: its head, then its status; locations and rows never change."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar

from cache_core.records import Json, canonical
from katana_client.resources.stock_transfers import StockTransferStatusUpdate, StockTransferUpdate
from katana_mcp.entities.stock_transfers.filters import Status
from katana_mcp.entities.stock_transfers.head import (
    COLLECTION,
    ENTITY,
    HEAD,
    OldTransfer,
    TransferDates,
    gather_old,
    line,
    moving,
    stock_moves,
    unlike,
    with_goods,
    with_stock,
)
from katana_mcp.lookup import gone
from katana_mcp.naming import duplicates
from katana_mcp.operations.filters import spelling
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.argument_words import Words
from katana_mcp.tools.requests import DocumentNumber, NameOrId, own_id
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.writing.actions import Action, on_record
from katana_mcp.writing.change import HAVING, Change, Draft, number_lane, record_lane
from katana_mcp.writing.preview import FieldChange, shown_value
from katana_mcp.writing.stock_moves import StockMove, described, shortages

_ORDER = {"draft": 0, "inTransit": 1, "received": 2}
_FIXED = "locations and rows of a transfer never change: `create_stock_transfer` plans another one"
_REFUSED = {("received", "inTransit")}


class ModifyStockTransferRequest(TransferDates):
    """Arguments of `modify_stock_transfer`."""

    also = own_id("stock_transfer_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("rows", "add_rows", "update_rows", "lines", "items"), _FIXED),
        **dict.fromkeys(("source_location_id", "target_location_id", "destination_location_id"), _FIXED),
        **dict.fromkeys(("source_location", "target_location", "destination_location", "from_location"), _FIXED),
        "to_location": _FIXED,
    }

    never_null: ClassVar[frozenset[str]] = frozenset({"stock_transfer_number", "transfer_date", "status"})

    stock_transfer_id: NameOrId
    """Stock transfer id (integer) or number (text, ST-3)."""
    stock_transfer_number: DocumentNumber | None = None
    """The new number."""
    status: Annotated[Status | None, spelling(Status)] = None
    """As `inTransit` goods leave the source, as `received` they are at the destination."""


async def _gather(request: ModifyStockTransferRequest, services: Services) -> OldTransfer:
    facts = await gather_old(request.stock_transfer_id, request.stock_transfer_number, services)
    if request.status is None:
        return facts
    return await (with_goods if request.status == facts.status else with_stock)(facts, services)


def checks(request: ModifyStockTransferRequest, facts: OldTransfer) -> list[ToolWarning]:
    """Return what speaks against a change."""
    name, called = "stock_transfer_number", request.stock_transfer_number or ""
    warnings = gone(ENTITY, facts.number, facts.record, deleted=facts.deleted)
    warnings += duplicates(ENTITY, name, called, facts.taken)
    if not _wanted(request, facts):
        told = f"stock transfer {facts.number} is like that already: nothing would change"
        warnings.append(blocking(warning_codes.NO_EFFECTIVE_CHANGE, told))
    if request.status is not None:
        warnings += _move(facts, request.status)
    return warnings + shortages(_moves(request, facts), facts.levels)


def _moves(request: ModifyStockTransferRequest, facts: OldTransfer) -> list[StockMove]:
    refused = (facts.status, request.status) in _REFUSED
    return [] if request.status is None or refused else stock_moves(facts, request.status)


def _move(facts: OldTransfer, wanted: Status) -> list[ToolWarning]:
    told = f"stock transfer {facts.number} is {facts.status}"
    if (facts.status, wanted) in _REFUSED:
        why = f"{told} and cannot become {wanted} again: its goods have arrived"
        return [blocking(warning_codes.INVALID_STATUS_TRANSITION, why, "status")]
    if _ORDER[wanted] < _ORDER.get(facts.status, 0):
        return [
            advisory(
                warning_codes.STATUS_MOVES_BACK, f"{told}: as {wanted} its goods go back where they came from", "status"
            )
        ]
    return []


def plan(request: ModifyStockTransferRequest, facts: OldTransfer) -> Draft:
    """Return the plan of a change: the head first, because a later status can lock its dates."""
    wanted = _wanted(request, facts)
    head = {name: value for name, value in wanted.items() if name != "status"}
    actions = [_head(head, facts)] if head else []
    if "status" in wanted and request.status is not None:
        actions.append(_status(request.status, facts))
    told = ", ".join(f"{name} {shown_value(value) or 'cleared'}" for name, value in wanted.items())
    before = {name: facts.record.get(name) for name in wanted}
    back = (request.status, facts.status) not in _REFUSED
    undo = {"tool": "modify_stock_transfer", "arguments": {"stock_transfer_id": facts.id, **before}}
    return Draft(
        summary=f"stock transfer {facts.number}: {told}",
        actions=tuple(actions),
        touches={"record": facts.record, HAVING: list(facts.taken)},
        lanes=(
            record_lane(ENTITY, facts.id),
            *([] if request.stock_transfer_number is None else [number_lane(ENTITY)]),
        ),
        id=facts.id,
        number=request.stock_transfer_number or facts.number,
        status=request.status or facts.status,
        lines=tuple(line(good.one, good.asked, amount) for good, amount in moving(facts)),
        changes=tuple(
            FieldChange(field=name, old=shown_value(before[name]), new=shown_value(value))
            for name, value in wanted.items()
        ),
        stock=described(_moves(request, facts), facts.levels),
        prior_state=facts.record,
        revert=undo if back else None,
    )


def _wanted(request: ModifyStockTransferRequest, facts: OldTransfer) -> dict[str, Json]:
    """Return the fields that the request sets to something else than they are."""
    given = canonical({name: getattr(request, name) for name in (*HEAD, "status") if name in request.model_fields_set})
    return {name: value for name, value in given.items() if unlike(name, value, facts.record)}


def _head(head: Mapping[str, Json], facts: OldTransfer) -> Action:
    # Katana may wipe the notes where a PATCH leaves them out.
    notes = facts.record.get("additional_info")
    kept = {"additional_info": notes} if notes and "additional_info" not in head else {}
    body = canonical(StockTransferUpdate.model_validate({**kept, **head}).wire())
    return on_record(f"change the head of stock transfer {facts.number}", ENTITY, COLLECTION, facts.id, body)


def _status(wanted: Status, facts: OldTransfer) -> Action:
    body = canonical(StockTransferStatusUpdate(status=wanted).wire())
    action = on_record(f"set stock transfer {facts.number} to {wanted}", ENTITY, COLLECTION, facts.id, body)
    return replace(action, path=f"{action.path}/status")


MODIFY = Change(
    request=ModifyStockTransferRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(ENTITY,),
    what="'s head or status",
)
