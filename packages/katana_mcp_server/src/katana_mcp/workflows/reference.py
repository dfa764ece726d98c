"""`list_reference`: suppliers, locations, tax rates and their like, for hosts that give their model no resources.

What is not cached is asked of Katana at each call.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, Field

from cache_core.conditions import Order
from cache_core.protocol import Search, Selection, Stored
from cache_core.records import iso
from cache_core.search_rules import parse
from katana_mcp.references.display_names import CUSTOM_FIELDS, Names, none_yet, text, titled
from katana_mcp.references.live_reads import LiveRead
from katana_mcp.references.services import Current, Services, current
from katana_mcp.references.suggestions import near_misses
from katana_mcp.surface.descriptor import ToolSpec, View
from katana_mcp.surface.operations.addresses import PostalAddress, addresses
from katana_mcp.surface.operations.embedded import CustomField
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.rows import filled, to_answers
from katana_mcp.tools.answers import Answer, Empty, Envelope, Number
from katana_mcp.tools.requests import ListLimit, PageNumber, Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.values import EMPTY, child, get_bool, get_int, rows
from katana_mcp.workflows.live_reference import LIVE, names_of

type Kind = Literal[
    "supplier",
    "location",
    "tax_rate",
    "operator",
    "additional_cost",
    "factory",
    "custom_field_definition",
    "storage_bin",
    "bin_transfer",
    "price_list",
    "price_list_row",
    "return_reason",
]


def _singular(value: object) -> object:
    """Return a kind as it is called where somebody wrote several of it: `Tax rates`."""
    if not isinstance(value, str):
        return value
    written = value.strip().lower().replace(" ", "_").replace("-", "_")
    written = {"factories": "factory"}.get(written, written.removesuffix("s"))
    return _ALSO.get(written, written)


_ALSO = {"custom_field": "custom_field_definition", "bin": "storage_bin", "bin_location": "storage_bin"}
"""Other names of kinds."""


class ListReferenceRequest(Request):
    """Arguments of `list_reference`."""

    kind: Annotated[Kind, BeforeValidator(_singular)]
    """Which kind; the last five are read live."""
    query: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    """Words of a name or other text; all by default."""
    limit: ListLimit = 25
    """Per page."""
    page: PageNumber = 1


class ReferenceRow(Answer):
    """One of a kind: what other tools take it by, and what its kind has."""

    supplier_id: int | None = None
    location_id: int | None = None
    tax_rate_id: int | None = None
    operator_id: int | None = None
    additional_cost_id: int | None = None
    custom_field_definition_id: str | None = None
    bin_location_id: int | None = None
    bin_transfer_id: int | None = None
    price_list_id: int | None = None
    reason_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    """What tools take instead of the id."""
    email: str | None = None
    phone: str | None = None
    currency: str | None = None
    comment: str | None = None
    addresses: list[PostalAddress] | None = None
    custom_fields: list[CustomField] | None = None
    field_type: str | None = None
    entity_type: str | None = None
    """Of what records it is a field."""
    choices: list[str] | None = None
    description: str | None = None
    is_primary: bool | None = None
    sales_allowed: bool | None = None
    purchase_allowed: bool | None = None
    manufacturing_allowed: bool | None = None
    rate: Number | None = None
    """Percent."""
    is_default_sales: bool | None = None
    is_default_purchases: bool | None = None
    legal_name: str | None = None
    base_currency_code: str | None = None
    timezone: str | None = None
    inventory_closing_date: str | None = None
    default_sales_location: str | None = None
    default_purchases_location: str | None = None
    default_manufacturing_location: str | None = None
    location: str | None = None
    is_active: bool | None = None
    price_list: str | None = None
    adjustment_method: str | None = None
    """What `amount` is: a fixed price, a percentage or a markup."""
    amount: Number | None = None


class ListReferenceAnswer(Envelope):
    """The answer of `list_reference`."""

    rows: list[ReferenceRow]
    total: int | None = None
    """Of all pages; not while warming."""
    page: int
    limit: int
    has_more: bool | None = None
    empty: Empty | None = None


_SEARCHED = {
    "supplier": ("name", "e-mail", "phone", "comment"),
    "tax_rate": ("name", "shown name"),
    "custom_field_definition": ("label", "description"),
}
"""Where a query looks; in the name of every other kind."""
_MOST = 1_000
"""Rows, best first, that the pages of a query reach."""


async def _run(request: ListReferenceRequest, services: Services) -> Answer:
    return await (_live if request.kind in LIVE else _cached)(request, services)


async def _live(request: ListReferenceRequest, services: Services) -> Answer:
    kind, live = LIVE[request.kind], LiveRead.begin(services)
    now = await current(services, kind.names, ())
    with now.refusals():
        found = await live.ask(kind.subject, kind.read(request.query, services))
    records = sorted(found.read.rows, key=lambda row: get_int(row, "id") or 0)
    names = await names_of(request.kind, records, services)

    async def render(first: int, last: int) -> list[Answer]:
        return [
            filled(ReferenceRow, row, names, **({kind.id: row.get("id")} if kind.id else {}), **kind.own(row, names))
            for row in records[first:last]
        ]

    asked = await page_of("list_reference", request, services, render)
    page = paged(asked, await render(asked.first, asked.last), len(records), now)
    empty = None if records else Empty(searched=_searched(request), fields=list(kind.searched), records=found.records)
    fields = _with_next(page.fields, request, empty)
    warnings = (*found.read.warnings(kind.narrower), *page.warnings)
    return _answer(now, request, empty, *warnings, **fields, as_of=iso(services.clock.now()))


async def _cached(request: ListReferenceRequest, services: Services) -> Answer:
    kind = request.kind
    now = await current(services, (kind, *_VIEWS[kind].names), (kind,))
    found, total = await _found(request, services)
    if not total and request.query is not None and await services.lookups.ask([(kind, request.query)]):
        found, total = await _found(request, services)

    async def render(first: int, last: int) -> list[Answer]:
        rows = found[first:last] if found is not None else await _listed(kind, first, last, services)
        return await to_answers(lambda _: _VIEWS[kind], [(kind, row) for row in rows], services)

    asked = await page_of("list_reference", request, services, render)
    page = paged(asked, await render(asked.first, asked.last), total, now)
    empty = None if total or now.warming else await _empty(request, services)
    return _answer(now, request, empty, *page.warnings, **_with_next(page.fields, request, empty))


def _answer(
    now: Current, request: ListReferenceRequest, empty: Empty | None, *warnings: ToolWarning, **fields: object
) -> Answer:
    return now.answer(ListReferenceAnswer, *warnings, **fields, page=request.page, limit=request.limit, empty=empty)


def _with_next(fields: dict[str, object], request: ListReferenceRequest, empty: Empty | None) -> dict[str, object]:
    """Return the fields with what to call next: the page after this one, or what there is instead of nothing."""
    if empty is not None:
        return {**fields, "next_actions": _instead(request.kind, empty)}
    query = "" if request.query is None else f"query={request.query!r}, "
    actions = cast("list[str]", fields.get("next_actions", []))
    return {
        **fields,
        "next_actions": [action.replace("..., ", f"kind={request.kind!r}, {query}", 1) for action in actions],
    }


def _searched(request: ListReferenceRequest) -> str:
    return request.query or titled(request.kind)


async def _found(request: ListReferenceRequest, services: Services) -> tuple[Sequence[Stored] | None, int]:
    """Return the rows that a query finds, nothing where all are asked for, and how many there are."""
    if request.query is None:
        return None, await services.cache.count(request.kind)
    if not parse(request.query).tokens:
        return (), 0
    result = await services.cache.search(request.kind, Search(request.query, limit=_MOST))
    return [hit.row for hit in result.hits], result.total


async def _listed(kind: str, first: int, last: int, services: Services) -> Sequence[Stored]:
    return await services.cache.select(kind, Selection(order=Order("id"), limit=last - first, offset=first))


async def _empty(request: ListReferenceRequest, services: Services) -> Empty:
    near = [] if request.query is None else await near_misses(services, request.kind, request.query)
    fields = list(_SEARCHED.get(request.kind, ("name",)))
    records = await services.cache.count(request.kind)
    return Empty(searched=_searched(request), fields=fields, records=records, did_you_mean=near)


def _instead(kind: str, empty: Empty) -> list[str]:
    if empty.did_you_mean:
        return [f"list_reference(kind={kind!r}, query={empty.did_you_mean[0]!r})"]
    return [f"list_reference(kind={kind!r})" if empty.records else none_yet(f"{titled(kind)}s")]


def _view(kind: str) -> View:
    def computed(stored: Stored, names: Names, services: Services) -> dict[str, object]:
        del names, services
        called = (text(stored.record, field_name) for field_name in ("display_name", "name", "operator_name", "label"))
        choices = rows(child(stored.record, "options") or EMPTY, "choices")
        live = [label for choice in choices if (label := text(choice, "label")) and not get_bool(choice, "deleted")]
        return {f"{kind}_id": stored.id, "name": next(filter(None, called), None), "choices": live or None}

    return View(model=ReferenceRow, computed_fields=computed)


def _supplier(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    del names, services
    return {"supplier_id": stored.id, "addresses": addresses(stored.record) or None}


def _factory(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    del services
    return {name: names.name("location", stored.record.get(f"{name}_id")) for name in _DEFAULTS}


_DEFAULTS = ("default_sales_location", "default_purchases_location", "default_manufacturing_location")
_FACTORY = View(
    model=ReferenceRow, computed_fields=_factory, names={"location": tuple(f"{name}_id" for name in _DEFAULTS)}
)
_SUPPLIER = View(model=ReferenceRow, computed_fields=_supplier, names={CUSTOM_FIELDS[0]: ()})
_OF_THEIR_OWN = {"factory": _FACTORY, "supplier": _SUPPLIER}
_VIEWS = {kind: _view(kind) for kind in Kind.__value__.__args__ if kind not in LIVE} | _OF_THEIR_OWN

LIST_REFERENCE = ToolSpec(
    name="list_reference",
    toolset="items",
    description=(
        "List reference data of one kind, with the ids and names that other tools take.\n\n"
        "Suppliers, locations, tax rates, operators, additional costs of purchases, custom fields with their choices, "
        "or the factory's settings; or, read live, storage bins, bin transfers, price lists, their rows (prices of "
        "SKUs), or return reasons."
    ),
    request=ListReferenceRequest,
    answer=ListReferenceAnswer,
    run=_run,
    reads=tuple(dict.fromkeys((*_VIEWS, *(name for kind in LIVE.values() for name in kind.names)))),
)
