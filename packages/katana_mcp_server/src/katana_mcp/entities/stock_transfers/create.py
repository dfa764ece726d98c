"""`create_stock_transfer`: a draft with its rows, which are fixed from then on."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from cache_core.protocol import Selection
from cache_core.records import canonical
from katana_client.resources.stock_transfers import StockTransferCreate
from katana_mcp.entities.stock_transfers.head import COLLECTION, ENTITY, HEAD, TransferDates, duplicates, line
from katana_mcp.lookup import all_listed, live_with_key
from katana_mcp.names import VARIANT_ENTITIES, text
from katana_mcp.naming import Named, named, unnamed, variants
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import DocumentNumber, NameOrId, Request, SkuOrVariantId, WriteQuantity
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.writing.actions import Action, Recognise, Ref
from katana_mcp.writing.change import Change, Draft
from katana_mcp.writing.numbers import next_number


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
    """Where the goods leave: location id, or the location's exact name."""
    destination_location_id: NameOrId
    """Where they go: location id, or the location's exact name."""
    rows: Annotated[list[NewTransferRow], Field(min_length=1, max_length=250)]
    """What moves; rows cannot be changed later."""
    stock_transfer_number: DocumentNumber | None = None
    """ST-3; the next free number by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTransfer:
    """What a new transfer depends on; `taken` are transfers that have its number.

    It is counted once all others are known, or when the caller gave it.
    """

    now: datetime
    number: str
    is_counted: bool = True
    taken: tuple[int, ...] = ()
    source: Named
    destination: Named
    goods: tuple[Named, ...]


async def _gather(request: CreateStockTransferRequest, services: Services) -> NewTransfer:
    await current(services, (ENTITY, "location", *VARIANT_ENTITIES), ("location", "variant"))
    counted = request.stock_transfer_number is not None or await all_listed(services, ENTITY)
    transfers = await services.cache.select(ENTITY, Selection(limit=200))
    known = [called for each in transfers if (called := text(each.record, "stock_transfer_number"))]
    called = request.stock_transfer_number or next_number(known, "ST-")
    return NewTransfer(
        now=services.clock.now(),
        number=called,
        is_counted=counted,
        taken=await live_with_key(services, ENTITY, called),
        source=await named(services, "location", request.source_location_id),
        destination=await named(services, "location", request.destination_location_id),
        goods=await variants(services, [each.sku_or_variant_id for each in request.rows]),
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
    warnings += duplicates(facts.number, facts.taken)
    if request.stock_transfer_number is None:
        told = f"the next free number was taken: {facts.number}"
        warnings.append(ToolWarning(severity="info", code=warning_codes.DEFAULT_NUMBER, message=told))
    if not facts.is_counted:
        told = "the first sync of stock transfers is not finished, so the next free number is not known; give one"
        warnings.append(blocking(warning_codes.COLD_CACHE, told, "stock_transfer_number"))
    return warnings


def plan(request: CreateStockTransferRequest, facts: NewTransfer) -> Draft:
    """Return the plan of a new transfer; without actions where a name is not known."""
    lines = tuple(line(good.one, good.asked, row.quantity) for good, row in zip(facts.goods, request.rows, strict=True))
    source, destination = facts.source.one, facts.destination.one
    goods = [each.one for each in facts.goods]
    known = [each for each in goods if each is not None]
    way = f"{_called(facts.source)} to {_called(facts.destination)}"
    draft = Draft(summary=f"new stock transfer {facts.number} from {way}", number=facts.number, lines=lines)
    if source is None or destination is None or len(known) < len(goods):
        return draft
    head = {name: getattr(request, name) for name in HEAD if name in request.model_fields_set}
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
            collection=COLLECTION, filters={"stock_transfer_number": facts.number}, besides=facts.taken
        ),
    )
    return Draft(
        summary=draft.summary,
        actions=(action,),
        touches={"named": [asdict(each) for each in (source, destination, *known)], "taken": list(facts.taken)},
        assigned={"stock_transfer_number": facts.number},
        number=facts.number,
        status="draft",
        lines=lines,
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
    what=" between two locations, as a draft",
)
