"""What speaks against a bin transfer: bins that are not there, what is named twice, and what lies in no bin."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.references import wording
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.workflows.bin_transfers.moves import asked_moves, left_in, levels, old_moves, place_of
from katana_mcp.workflows.bin_transfers.reading import LOCATION, VARIANT, Bin, BinFacts
from katana_mcp.workflows.bin_transfers.request import PlanBinTransferRequest
from katana_mcp.workflows.bin_transfers.units import against_units, unnamed_units

_NAMED = 10


def checks(request: PlanBinTransferRequest, facts: BinFacts) -> list[ToolWarning]:
    """Return what speaks against the plan."""
    return [*(_of_new if request.bin_transfer is None else _of_old)(request, facts)]


def _of_new(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[ToolWarning]:
    if request.delete:
        message = "delete: say which bin_transfer is to be deleted, by id or number"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "bin_transfer")
    if facts.place is None:
        message = "location_id: say at which location the bins are"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "location_id")
    else:
        yield from wording.unnamed(LOCATION, facts.named[LOCATION, facts.place], "location_id")
    if not request.rows and not request.delete_bins:
        message = "rows: say what moves: sku_or_variant_id, quantity, from_bin, to_bin; or delete_bins"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "rows")
    for nr, row in enumerate(request.rows):
        given = facts.named[VARIANT, row.sku_or_variant_id]
        yield from wording.unnamed(VARIANT, given, f"rows[{nr}].sku_or_variant_id")
    if facts.at is not None:
        yield from _against_bins(request, facts)
        yield from _against_batches(request, facts)
        yield from _short(request, facts)
        yield from _against_units(request, facts)
        yield from _against_deletion(request, facts)


def _against_bins(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[ToolWarning]:
    made = set[str]()
    for nr, row in enumerate(request.rows):
        path = f"rows[{nr}]"
        for name, asked in (("from_bin", row.from_bin), ("to_bin", row.to_bin)):
            yield from _against_bin(facts, asked, f"{path}.{name}", made)
        source, target = place_of(facts, row.from_bin), place_of(facts, row.to_bin)
        if source is not None and source == target:
            message = f"{path}: goods move from one bin to another: from_bin and to_bin are both {source.name}"
            yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message, path)


def _against_bin(facts: BinFacts, asked: int | str | None, path: str, made: set[str]) -> Iterator[ToolWarning]:
    """Yield what is wrong with the bin of a row, or that it will be made, once."""
    found = [] if asked is None else facts.called(asked)
    if asked is None or len(found) == 1:
        return
    if found or isinstance(asked, int) or path.endswith("from_bin"):
        yield from _unknown_bin(facts, asked, found, path)
    elif asked not in made:
        made.add(asked)
        message = f"{path}: {_called(facts)} has no bin {asked!r}, so it is made first; {_bins_there(facts)}"
        yield advisory(warning_codes.NEW_BIN, message, path)


def _unknown_bin(facts: BinFacts, asked: int | str, found: Sequence[Bin], path: str) -> Iterator[ToolWarning]:
    """Yield that no bin has this id or name, or that several have the name."""
    if found:
        ids = ", ".join(f"{bin_.id} ({bin_.name})" for bin_ in found[:_NAMED])
        message = f"{path}: {len(found)} bins are called {asked!r}; give the id of one: {ids}"
        yield blocking(warning_codes.AMBIGUOUS_NAME, message, path)
    else:
        message = f"{path}: {_called(facts)} has no bin {asked!r}; {_bins_there(facts)}"
        yield blocking(warning_codes.NOT_FOUND, message, path)


def _called(facts: BinFacts) -> str:
    return "the location" if facts.at is None else facts.at.called


def _bins_there(facts: BinFacts) -> str:
    return f"it has {first_of([bin_.name for bin_ in facts.bins], _NAMED)}" if facts.bins else "it has none yet"


def _against_batches(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[ToolWarning]:
    for nr, row in enumerate(request.rows):
        goods, path = facts.goods(row.sku_or_variant_id), f"rows[{nr}].batch"
        if row.batch is None or goods is None:
            continue
        found = facts.lots(goods.id, row.batch)
        if len(found) > 1:
            message = f"{path}: several batches of {goods.called} are called {row.batch!r}; give the id of one: {found}"
            yield blocking(warning_codes.AMBIGUOUS_NAME, message, path)
        if not found:
            numbers = sorted({text(record, "batch_number") or "" for record in facts.batches.get(goods.id, ())} - {""})
            there = f"it has {first_of(numbers, _NAMED)}" if numbers else "it has none in stock"
            message = f"{path}: {goods.called} has no batch {row.batch!r} in stock; {there}"
            yield blocking(warning_codes.NOT_FOUND, message, path)


def _short(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[ToolWarning]:
    """Yield from which bins more would leave than lies in them."""
    moves = [*asked_moves(request, facts)] if request.bin_transfer is None else [*old_moves(facts)]
    was = "CREATED" if facts.transfer is None else text(facts.transfer, "status") or "CREATED"
    for level in levels(facts, moves, was, request.status):
        if level.after < 0:
            yield advisory(warning_codes.INSUFFICIENT_STOCK, f"{level.path}: {level.summary}", level.path)


def _against_units(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[ToolWarning]:
    """Yield what is wrong with serial numbers: by themselves, that one lies elsewhere, and that one moves twice."""
    seen = set[tuple[int, int]]()
    for nr, row in enumerate(request.rows):
        goods, path = facts.goods(row.sku_or_variant_id), f"rows[{nr}].serial_number_ids"
        if goods is None:
            continue
        if not row.serial_number_ids:
            yield from [unnamed_units(f"rows[{nr}]", goods.called)] if goods.id in facts.serial else []
            continue
        there, source = facts.units.get(goods.id, {}), place_of(facts, row.from_bin)
        yield from against_units(path, row, goods.called, _called(facts), there)
        for key in row.serial_number_ids:
            if source is not None and key in there and there[key] != source.key:
                message = f"{path}: {key} lies in {facts.bin_name(there[key])}, not in {source.name}"
                yield blocking(warning_codes.NOT_FOUND, message, path)
            if (goods.id, key) in seen:
                message = f"{path}: {key} is named twice; a unit moves once"
                yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)
            seen.add((goods.id, key))


def _against_deletion(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[ToolWarning]:
    """Yield bins that are not there, or in which something would still lie."""
    moves, seen = [*asked_moves(request, facts)], dict[int, str]()
    for nr, asked in enumerate(request.delete_bins):
        path, found = f"delete_bins[{nr}]", facts.called(asked)
        if len(found) != 1:
            yield from _unknown_bin(facts, asked, found, path)
            continue
        (doomed,) = found
        if seen.setdefault(doomed.id, path) != path:
            message = f"{path}: bin {doomed.name} is named in {seen[doomed.id]} already; name it once"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)
        left = left_in(facts, doomed.id, moves, request.status)
        if left:
            goods = [_amount_in_words(facts, key, amount) for key, amount in left.items()]
            message = f"{path}: in bin {doomed.name} there would still be {first_of(goods, _NAMED)}: move them first"
            yield blocking(warning_codes.IN_USE, message, path)


def _amount_in_words(facts: BinFacts, variant: int, amount: Decimal) -> str:
    goods = (reference.one for (entity, _), reference in facts.named.items() if entity == VARIANT)
    called = next((one.called for one in goods if one is not None and one.id == variant), variant)
    return f"{plain_number(amount)} of {called}"


def _of_old(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[ToolWarning]:
    for name in ("location_id", "rows", "delete_bins"):
        if name in request.model_fields_set:
            message = f"{name}: only for a new bin transfer; an existing one can only change its status or be deleted"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, name)
    if request.delete and "status" in request.model_fields_set:
        message = "status: a bin transfer is deleted, or gets another status, not both"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "status")
    if facts.transfer is not None:
        yield from _against_status(request, facts, facts.transfer)
    elif facts.transfers:
        ids = first_of([str(transfer.get("id")) for transfer in facts.transfers], _NAMED)
        message = f"bin_transfer: {len(facts.transfers)} have the number {request.bin_transfer!r}; give an id: {ids}"
        yield blocking(warning_codes.AMBIGUOUS_NAME, message, "bin_transfer")
    else:
        message = f"bin_transfer: no bin transfer {request.bin_transfer!r} was found; `list_reference` lists them"
        yield blocking(warning_codes.NOT_FOUND, message, "bin_transfer")


def _against_status(request: PlanBinTransferRequest, facts: BinFacts, old: Record) -> Iterator[ToolWarning]:
    called, status = text(old, "bin_transfer_number") or str(old.get("id")), text(old, "status")
    if request.delete:
        if status != "CREATED":
            message = f"bin transfer {called} is {status}: whether Katana puts its goods back is not documented"
            yield advisory(warning_codes.STATUS_MOVES_BACK, f"{message}; look at the bins afterwards", "delete")
    elif status == request.status:
        message = f"bin transfer {called} is {status} already: nothing would change"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message, "status")
    else:
        yield from _short(request, facts)
