"""`plan_bin_transfer`: the bins that are missing, the transfer, and its status, a request each.

A bin transfer begins as CREATED: goods leave their bin once it is IN_TRANSIT, and are in the other once it is DONE. The
stock of the location stays as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal

from cache_core.records import canonical
from katana_mcp.references.display_names import text
from katana_mcp.surface.operations.planning import planning_tool
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.values import get_int
from katana_mcp.workflows.bin_transfers.checks import checks
from katana_mcp.workflows.bin_transfers.moves import Move, Place, asked_moves, levels, old_moves
from katana_mcp.workflows.bin_transfers.reading import READS, Bin, BinFacts, gather
from katana_mcp.workflows.bin_transfers.request import PlanBinTransferRequest, PlanBinTransferResponse
from katana_mcp.writing.actions import Action, JsonObject, Recognise, Ref
from katana_mcp.writing.change import USED, Change, Draft, name_lane, number_lane, record_lane
from katana_mcp.writing.preview import FieldChange, PlanLine

TOOL = "plan_bin_transfer"
TRANSFER, _TRANSFERS = "bin_transfer", "bin_transfers"
_BIN, _BINS = "bin_location", "bin_locations"
_FIRST = "CREATED"


def _plan(request: PlanBinTransferRequest, facts: BinFacts) -> Draft:
    is_lawful = not any(check.severity == "blocking" for check in checks(request, facts))
    if request.bin_transfer is None:
        return _new(request, facts, is_lawful=is_lawful)
    return _old(request, facts, is_lawful=is_lawful)


def _new(request: PlanBinTransferRequest, facts: BinFacts, *, is_lawful: bool) -> Draft:
    at, moves = facts.at, [*asked_moves(request, facts)]
    doomed = [found[0] for asked in request.delete_bins if len(found := facts.called(asked)) == 1]
    goods = [move.goods for move in moves]
    used = {"variant": goods, "location": [] if at is None else [at]}
    made = list(dict.fromkeys(place.name for move in moves for place in (move.source, move.target) if place.is_new))
    lanes = (number_lane(TRANSFER), *(name_lane(f"bin of {0 if at is None else at.id}", name) for name in made))
    return Draft(
        summary="; ".join(_summed_up(request, facts, moves, doomed)),
        actions=tuple(_sent(request, facts, at.id, moves, made)) if is_lawful and at is not None else (),
        touches={
            USED: {entity: [asdict(record) for record in some] for entity, some in used.items()},
            **({"deleted bins": [asdict(bin_) for bin_ in doomed]} if doomed else {}),
        },
        lanes=lanes,
        number=facts.number if moves else None,
        status=request.status if moves else None,
        lines=tuple(_line(move) for move in moves),
        stock=tuple(level.summary for level in levels(facts, moves, _FIRST, request.status)),
        revert=_back(request, at.id, moves, made) if is_lawful and at is not None and not doomed else None,
        one_way="Katana restores no bin: move goods to one of that name, and it is made anew" if doomed else "",
    )


def _summed_up(
    request: PlanBinTransferRequest, facts: BinFacts, moves: Sequence[Move], doomed: Sequence[Bin]
) -> Iterator[str]:
    where = "" if facts.at is None else f" at {facts.at.called}"
    if moves or not doomed:
        what = so_many(len(moves), "row")
        yield f"bin transfer {facts.number}{where}: {what}, {request.status}"
    if doomed:
        yield f"delete bin{'' if len(doomed) == 1 else 's'} {', '.join(bin_.name for bin_ in doomed)}{where}"


def _line(move: Move, *, is_new: bool = True) -> PlanLine:
    return PlanLine(
        change="add" if is_new else None,
        variant_id=move.goods.id,
        sku=move.goods.sku,
        is_shared=move.goods.is_shared or None,
        name=move.goods.name,
        quantity=move.quantity,
        unit=move.goods.unit,
        location=f"{move.source.name} → {move.target.name}",
    )


def _sent(
    request: PlanBinTransferRequest, facts: BinFacts, at: int, moves: Sequence[Move], made: Sequence[str]
) -> Iterator[Action]:
    if moves:
        yield from _transfer(request, facts, at, moves, made)
    for asked in request.delete_bins:
        (doomed,) = facts.called(asked)
        yield Action(
            title=f"delete bin {doomed.name}",
            method="DELETE",
            path=f"/{_BINS}/{doomed.id}",
            entity=_BIN,
            record=doomed.id,
            recognise=Recognise(collection=_BINS, filters={"ids": [doomed.id]}),
        )


def _transfer(
    request: PlanBinTransferRequest, facts: BinFacts, at: int, moves: Sequence[Move], made: Sequence[str]
) -> Iterator[Action]:
    yield from (_bin(name, at) for name in made)
    body: JsonObject = {
        "location_id": at,
        "bin_transfer_number": facts.number,
        "bin_transfer_rows": [_row(move, made) for move in moves],
    }
    yield Action(
        title=f"create bin transfer {facts.number}",
        method="POST",
        path=f"/{_TRANSFERS}",
        body=body,
        entity=TRANSFER,
        expects={"location_id": at, "bin_transfer_number": facts.number},
        recognise=Recognise(collection=_TRANSFERS, filters={"bin_transfer_number": facts.number}),
    )
    if request.status != _FIRST:
        yield _status(facts.number, request.status, Ref(len(made), "id"))


def _bin(name: str, at: int) -> Action:
    body: JsonObject = {"bin_name": name, "location_id": at}
    return Action(
        title=f"make bin {name}",
        method="POST",
        path=f"/{_BINS}",
        body=body,
        entity=_BIN,
        expects=body,
        recognise=Recognise(collection=_BINS, filters={"location_id": at, "bin_name": name}),
    )


def _row(move: Move, made: Sequence[str]) -> JsonObject:
    amount = _amount(move.quantity)
    lots = [] if move.batch is None else [{"batch_id": move.batch, "quantity": amount}]
    trace: list[JsonObject] = [*lots, *({"serial_number_id": key, "quantity": "1"} for key in move.units)]
    return {
        "variant_id": move.goods.id,
        "quantity": amount,
        "source_bin_location_id": _key(move.source, made),
        "target_bin_location_id": _key(move.target, made),
        **({"traceability": trace} if trace else {}),
    }


def _amount(quantity: Decimal) -> str:
    return f"{quantity.normalize():f}"


def _key(place: Place, made: Sequence[str]) -> object:
    return Ref(made.index(place.name), "id") if place.is_new else place.key


def _status(number: str, status: str, key: int | Ref) -> Action:
    return Action(
        title=f"set bin transfer {number} to {status}",
        method="PATCH",
        path=f"/{_TRANSFERS}/{{}}/status" if isinstance(key, Ref) else f"/{_TRANSFERS}/{key}/status",
        body={"status": status},
        entity=TRANSFER,
        record=None if isinstance(key, Ref) else key,
        target=key if isinstance(key, Ref) else None,
        expects={"status": status},
        recognise=Recognise(collection=_TRANSFERS, filters={"ids": [key]}),
        is_repeatable=True,
    )


def _back(request: PlanBinTransferRequest, at: int, moves: Sequence[Move], made: Sequence[str]) -> JsonObject:
    """Return the call that moves the goods back, or that deletes what has not arrived."""
    if request.status != "DONE":
        return {"tool": TOOL, "arguments": {"bin_transfer": Ref(len(made), "id"), "delete": True}}
    rows = [
        {
            "sku_or_variant_id": move.goods.id,
            "quantity": plain_number(move.quantity),
            "from_bin": _key(move.target, made),
            "to_bin": _key(move.source, made),
            **({} if move.batch is None else {"batch": move.batch}),
            **({"serial_number_ids": list(move.units)} if move.units else {}),
        }
        for move in moves
    ]
    return {"tool": TOOL, "arguments": {"location_id": at, "rows": rows}}


def _old(request: PlanBinTransferRequest, facts: BinFacts, *, is_lawful: bool) -> Draft:
    old = facts.transfer
    if old is None:
        return Draft(summary=f"bin transfer {request.bin_transfer}")
    key, called = get_int(old, "id") or 0, text(old, "bin_transfer_number") or str(old.get("id"))
    was, moves = text(old, "status") or _FIRST, [*old_moves(facts)]
    deleted = Action(
        title=f"delete bin transfer {called}",
        method="DELETE",
        path=f"/{_TRANSFERS}/{key}",
        entity=TRANSFER,
        record=key,
        recognise=Recognise(collection=_TRANSFERS, filters={"ids": [key]}),
    )
    moved = f"bin transfer {called}: {was} → {request.status}"
    action = deleted if request.delete else _status(called, request.status, key)
    return Draft(
        summary=deleted.title if request.delete else moved,
        actions=(action,) if is_lawful else (),
        touches={TRANSFER: canonical(old)},
        lanes=(record_lane(TRANSFER, key),),
        id=key,
        number=called,
        status=None if request.delete else request.status,
        lines=tuple(_line(move, is_new=False) for move in moves),
        changes=() if request.delete else (FieldChange(field="status", old=was, new=request.status),),
        stock=() if request.delete else tuple(level.summary for level in levels(facts, moves, was, request.status)),
        prior_state=old,
        revert=None if request.delete else {"tool": TOOL, "arguments": {"bin_transfer": key, "status": was}},
        one_way="Katana restores no bin transfer: plan a new one with its rows" if request.delete else "",
    )


MOVING = Change(
    request=PlanBinTransferRequest,
    gather=gather,
    plan=_plan,
    checks=checks,
    reads=READS,
    answer=PlanBinTransferResponse,
)
PLAN_BIN_TRANSFER = planning_tool(
    TOOL,
    "inventory",
    "Plan to move goods between bins of one location, at once or by stages; nothing is written.\n\n"
    "A missing bin is created. Shows what lies in each bin before and after, and a `plan_token` for "
    "`apply_plan`.",
    MOVING,
)
