"""`create_stock_transfer`: a draft with its rows, which are fixed from then on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import Field

from cache_core.records import canonical
from katana_client.resources.stock_transfers import StockTransferCreate
from katana_mcp.entities.stock_transfers.head import COLLECTION, ENTITY, HEAD, TransferDates, line
from katana_mcp.lookup import resolved
from katana_mcp.names import VARIANT_ENTITIES
from katana_mcp.naming import Named, given_or_next, named, number_checks, unnamed, variants
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import DocumentNumber, NameOrId, Request, SkuOrVariantId, WriteQuantity
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.writing.actions import Action, Recognise, Ref
from katana_mcp.writing.change import HAVING, Change, Draft, number_lane
from katana_mcp.writing.duplicates import Repeated, lines_of, possible_duplicates, repeats
from katana_mcp.writing.numbers import Numbered
from katana_mcp.writing.preview import FieldChange, shown_value
from katana_mcp.writing.stock_moves import Levels, StockMove, read_levels, shortages


class NewTransferRow(Request):
    """A row of a new transfer."""

    sku_or_variant_id: SkuOrVariantId
    """SKU (text) or variant id (integer)."""
    quantity: WriteQuantity
    """How much moves."""


class CreateStockTransferRequest(TransferDates):
    """Arguments of `create_stock_transfer`."""

    never_null: ClassVar[frozenset[str]] = frozenset(HEAD)

    source_location_id: NameOrId
    """Where goods leave: location id, or exact name."""
    destination_location_id: NameOrId
    """Where they go: location id, or exact name."""
    rows: Annotated[list[NewTransferRow], Field(min_length=1, max_length=250)]
    """What moves; rows cannot be changed later."""
    stock_transfer_number: DocumentNumber | None = None
    """ST-3; the next free number by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTransfer:
    """What a new transfer depends on; `levels` is the stock of its goods, `repeated` what it may repeat."""

    now: datetime
    numbered: Numbered
    source: Named
    destination: Named
    goods: tuple[Named, ...]
    levels: Levels = field(default_factory=dict[int, Mapping[int, Decimal]])
    repeated: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """Its number."""
        return self.numbered.number


async def _gather(request: CreateStockTransferRequest, services: Services) -> NewTransfer:
    await current(services, (ENTITY, "location", *VARIANT_ENTITIES), ("location", "variant"))
    given, name = request.stock_transfer_number, "stock_transfer_number"
    numbered = await given_or_next(services, ENTITY, given, name, "ST-")
    places = [request.source_location_id, request.destination_location_id]
    moving = [each.sku_or_variant_id for each in request.rows]
    await resolved(services, [*(("location", each) for each in places), *(("variant", each) for each in moving)])
    source = await named(services, "location", request.source_location_id)
    goods = await variants(services, moving)
    destination = await named(services, "location", request.destination_location_id)
    moved = [each.one.id for each in goods if each.one is not None]
    lines = [None if each.one is None else each.one.id for each in goods]
    likeness = Repeated(
        entity=ENTITY,
        number="stock_transfer_number",
        rows="stock_transfer_rows",
        party={
            "source_location_id": None if source.one is None else source.one.id,
            "target_location_id": None if destination.one is None else destination.one.id,
        },
        lines=lines_of(zip(lines, [each.quantity for each in request.rows], strict=True)),
    )
    return NewTransfer(
        now=services.clock.now(),
        numbered=numbered,
        source=source,
        destination=destination,
        goods=goods,
        levels={} if source.one is None else await read_levels(services, moved),
        repeated=await possible_duplicates(likeness, services),
    )


def checks(request: CreateStockTransferRequest, facts: NewTransfer) -> list[ToolWarning]:
    """Return what speaks against a new transfer."""
    warnings = unnamed("location", facts.source, "source_location_id")
    warnings += unnamed("location", facts.destination, "destination_location_id")
    source, destination = facts.source.one, facts.destination.one
    if source is not None and destination is not None and source.id == destination.id:
        told = f"goods cannot move from {source.called} to itself: name another destination"
        warnings.append(blocking(warning_codes.SAME_SOURCE_DESTINATION, told, "destination_location_id"))
    for place, (row, good) in enumerate(zip(request.rows, facts.goods, strict=True)):
        warnings += unnamed("variant", good, f"rows[{place}].sku_or_variant_id")
        if row.quantity == 0:
            told = f"rows[{place}].quantity is 0: Katana moves more than nothing only"
            warnings.append(blocking(warning_codes.INVALID_QUANTITY, told, f"rows[{place}].quantity"))
    warnings += shortages(_leaving(request, facts), facts.levels)
    warnings += number_checks(ENTITY, "stock_transfer_number", request.stock_transfer_number, facts.numbered)
    return [*warnings, *repeats("stock transfer", facts.repeated, "rows")]


def _leaving(request: CreateStockTransferRequest, facts: NewTransfer) -> list[StockMove]:
    """Return what is to leave the source once it is sent; as a draft nothing does."""
    source = facts.source.one
    return [
        StockMove(
            variant=good.one.id,
            called=good.one.called,
            location=source.id,
            place=source.called,
            change=-row.quantity,
            path=f"rows[{place}].quantity",
        )
        for place, (row, good) in enumerate(zip(request.rows, facts.goods, strict=True))
        if source is not None and good.one is not None
    ]


def plan(request: CreateStockTransferRequest, facts: NewTransfer) -> Draft:
    """Return the plan of a new transfer; without actions where a name is not known."""
    lines = tuple(line(good.one, good.asked, row.quantity) for good, row in zip(facts.goods, request.rows, strict=True))
    source, destination = facts.source.one, facts.destination.one
    goods = [each.one for each in facts.goods]
    known = [each for each in goods if each is not None]
    way = f"{_called(facts.source)} to {_called(facts.destination)}"
    head = {name: getattr(request, name) for name in HEAD if name in request.model_fields_set}
    places = {"source_location_id": _called(facts.source), "target_location_id": _called(facts.destination)}
    said = {"stock_transfer_number": facts.number, **places, "status": "draft", **canonical(head)}
    told = tuple(FieldChange(field=name, new=shown_value(value)) for name, value in said.items())
    summary = f"new stock transfer {facts.numbered.called} from {way}"
    draft = Draft(summary=summary, number=facts.number, lines=lines, changes=told)
    if source is None or destination is None or len(known) < len(goods):
        return draft
    moved = [{"variant_id": each.id, "quantity": row.quantity} for each, row in zip(known, request.rows, strict=True)]
    places = {"source_location_id": source.id, "target_location_id": destination.id}
    body = StockTransferCreate.model_validate(
        {**head, "stock_transfer_number": facts.number, **places, "stock_transfer_rows": moved}
    )
    wire = canonical(body.wire())
    action = Action(
        title=f"create stock transfer {facts.number}",
        method="POST",
        path=f"/{COLLECTION}",
        body=wire,
        entity=ENTITY,
        expects=wire,
        recognise=Recognise(
            collection=COLLECTION, filters={"stock_transfer_number": facts.number}, besides=facts.numbered.taken
        ),
    )
    return Draft(
        summary=draft.summary,
        actions=(action,),
        touches={
            "named": [asdict(each) for each in (source, destination, *known)],
            HAVING: list(facts.numbered.taken),
        },
        lanes=(number_lane(ENTITY),),
        assigned=facts.numbered.assigned("stock_transfer_number"),
        number=facts.number,
        status="draft",
        lines=lines,
        changes=told,
        revert={"tool": "delete_stock_transfer", "arguments": {"stock_transfer_id": Ref(0, "id")}},
    )


def _called(given: Named) -> str:
    return given.one.called if given.one is not None else str(given.asked)


CREATE = Change(
    request=CreateStockTransferRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(ENTITY, "location", *VARIANT_ENTITIES),
    renumbered=lambda facts, numbered: replace(facts, numbered=numbered),
    what=" between two locations, as a draft",
)
