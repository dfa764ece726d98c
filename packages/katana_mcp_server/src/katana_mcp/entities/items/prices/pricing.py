"""`change_prices`: sales or purchase prices of many variants, by a percentage or one by one, shown line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from cache_core.conditions import Missing, OneOf, Order, Where, Within
from cache_core.protocol import Selection, Stored
from cache_core.records import canonical
from katana_mcp.documents.gathering import references
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.items.prices.request import ChangePricesRequest, ChangePricesResponse
from katana_mcp.references import wording
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.resolve import read_anew
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, blocking, info, truncated
from katana_mcp.values import get_int, number
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, on_record
from katana_mcp.writing.change import Change, Draft, record_lane
from katana_mcp.writing.preview import FieldChange, PlanLine

TOOL = "change_prices"
_VARIANT = "variant"
_READS = (*VARIANT_ENTITIES, "supplier", *FACTORY)
_ITEMS = (("product", "product_id"), ("material", "material_id"))
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class _Priced:
    """A variant whose price is to change.

    Attributes:
        variant: as it is.
        old: its price now.
        new: its price then.
        path: where it was named.
    """

    variant: Stored
    old: Decimal | None
    new: Decimal
    path: str | None = None


@dataclass(frozen=True, slots=True)
class _Meant:
    """The variants that are meant, in the order of their ids, and how many one plan takes."""

    variants: Sequence[Stored]
    most: int


async def _gather(request: ChangePricesRequest, services: Services) -> Facts:
    await current(services, _READS, ())
    goods = [("variant", each.sku_or_variant_id) for each in request.prices]
    goods += [("variant", each) for each in request.skus_or_variant_ids or ()]
    supplier = [] if request.supplier_id is None else [("supplier", request.supplier_id)]
    found = await references(services, [*goods, *supplier])
    facts = Facts(references=found, days=services.days)
    most = min(services.most_lines, services.most_writes)
    ids = sorted({one.id for asked in goods for one in found[asked].found})
    if not goods or request.category is not None or request.supplier_id is not None:
        ids = await _filtered(request, facts, ids if goods else None, services)
    await read_anew(services, {_VARIANT: ids[: most + 1]})
    stored = (await services.cache.get_many(_VARIANT, ids)).rows
    names = await look_up(services.cache, {_VARIANT: [], "factory": []}, [(_VARIANT, each) for each in stored])
    ordered = sorted((each for each in stored if not each.deleted), key=lambda each: int(each.id))
    return Facts(references=found, names=names, own=_Meant(ordered, most), days=services.days)


async def _filtered(
    request: ChangePricesRequest, facts: Facts, of: Sequence[int] | None, services: Services
) -> list[int]:
    """Return the variants, of these if any are named, that have a price and whose items the filters leave, by id."""
    mine: Where = (Missing(_field(request), missing=False),)
    mine += () if of is None else (OneOf("id", tuple(of)),)
    mine += () if request.after_variant_id is None else (Within("id", low=request.after_variant_id + 1),)
    filters: Where = () if request.category is None else (OneOf("category_name", (request.category,)),)
    if request.supplier_id is not None:
        named = facts.references["supplier", request.supplier_id].found
        filters = (*filters, OneOf("default_supplier_id", tuple(each.id for each in named)))
    found: list[Stored] = []
    for entity, path in _ITEMS if filters else ():
        items = await services.cache.select(entity, Selection(filters, Order("id"), _MOST))
        theirs = OneOf(path, tuple(each.id for each in items))
        found += await services.cache.select(_VARIANT, Selection((*mine, theirs), Order("id"), _MOST)) if items else ()
    if not filters:
        found += await services.cache.select(_VARIANT, Selection(mine, Order("id"), _MOST))
    return sorted(int(each.id) for each in found)


def _field(request: ChangePricesRequest) -> str:
    return f"{request.which}_price"


def _priced(request: ChangePricesRequest, facts: Facts) -> list[_Priced]:
    """Return the variants whose prices are to change, however many there are."""
    own = facts.own
    variants = own.variants if isinstance(own, _Meant) else ()
    after = [each for each in variants if int(each.id) > (request.after_variant_id or 0)]
    if request.prices:
        return [*_one_by_one(request, facts, after)]
    if request.percent is None:
        return []
    factor = 1 + request.percent / 100
    olds = [(each, number(each.record, _field(request))) for each in after]
    return [_Priced(each, old, _rounded(old * factor, request)) for each, old in olds if old is not None]


def _one_by_one(request: ChangePricesRequest, facts: Facts, variants: Sequence[Stored]) -> Iterator[_Priced]:
    by_id = {each.id: each for each in variants}
    for nr, each in enumerate(request.prices):
        one = facts.references[_VARIANT, each.sku_or_variant_id].one
        variant = None if one is None else by_id.get(one.id)
        if variant is not None:
            old = number(variant.record, _field(request))
            yield _Priced(variant, old, _rounded(each.price, request), f"prices[{nr}]")


def _rounded(price: Decimal, request: ChangePricesRequest) -> Decimal:
    return price.quantize(Decimal(1).scaleb(-request.decimals), ROUND_HALF_UP).normalize() + 0


def _chosen(request: ChangePricesRequest, facts: Facts) -> list[_Priced]:
    """Return those that this plan changes: whose price will be another, as many as it takes."""
    most = facts.own.most if isinstance(facts.own, _Meant) else 0
    return [each for each in _priced(request, facts) if each.new != each.old][:most]


def _checks(request: ChangePricesRequest, facts: Facts) -> list[ToolWarning]:
    return [*_asked(request), *_named(request, facts), *_left(request, facts)]


def _asked(request: ChangePricesRequest) -> Iterator[ToolWarning]:
    """Yield what of the arguments does not go together."""
    if (request.percent is None) is not bool(request.prices):
        told = "give either `percent`, which changes prices of many, or `prices` one by one"
        yield blocking(warning_codes.INVALID_ARGUMENT, told, "percent")
    for name in ("skus_or_variant_ids", "category", "supplier_id"):
        if request.prices and getattr(request, name) is not None:
            yield blocking(warning_codes.INVALID_ARGUMENT, f"{name} goes with `percent`, not with `prices`", name)


def _named(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    asked = [(f"prices[{nr}].sku_or_variant_id", each.sku_or_variant_id) for nr, each in enumerate(request.prices)]
    asked += [(f"skus_or_variant_ids[{nr}]", each) for nr, each in enumerate(request.skus_or_variant_ids or ())]
    seen: dict[int, str] = {}
    for path, each in asked:
        named = facts.references[_VARIANT, each]
        yield from wording.unnamed(_VARIANT, named, path)
        if named.one is not None and named.one.id in seen:
            told = f"{path} is the same variant as {seen[named.one.id]}"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, told, path)
        elif named.one is not None:
            seen[named.one.id] = path
    if request.supplier_id is not None:
        yield from wording.unnamed("supplier", facts.references["supplier", request.supplier_id], "supplier_id")


def _left(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield what is not changed, and why."""
    priced, chosen = _priced(request, facts), _chosen(request, facts)
    changing = [each for each in priced if each.new != each.old]
    if not chosen:
        told = f"no variant that is meant has another {request.which} price then: nothing would change"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, told)
    if request.skus_or_variant_ids and isinstance(facts.own, _Meant):
        without = [_sku(each) for each in facts.own.variants if number(each.record, _field(request)) is None]
        if without:
            told = f"{len(without)} have no {request.which} price to change: {', '.join(without[:_NAMED])}"
            yield info(warning_codes.PRICE_REQUIRED, told, "skus_or_variant_ids")
    if len(changing) > len(chosen):
        goes_on = f"after_variant_id={chosen[-1].variant.id}" if not request.prices else "those prices"
        told = f"a plan changes {len(chosen)} prices at most here: {len(changing) - len(chosen)} more would change"
        yield truncated(f"{told}; the same call with {goes_on} plans them once this plan is applied")


_NAMED = 10


def _plan(request: ChangePricesRequest, facts: Facts) -> Draft:
    chosen = _chosen(request, facts)
    is_lawful = not any(each.severity == "blocking" for each in _checks(request, facts))
    changing = sum(each.new != each.old for each in _priced(request, facts))
    unpriced = sum(each.old is None for each in chosen)
    by = "" if request.percent is None else f" by {plain_number(request.percent)} %"
    names = facts.names or Names()
    return Draft(
        summary=f"change {request.which} prices of {len(chosen)} variant{'' if len(chosen) == 1 else 's'}{by}",
        actions=tuple(_action(request, each) for each in chosen) if is_lawful else (),
        touches={_VARIANT: [each.variant.record for each in chosen]},
        lanes=tuple(record_lane(_VARIANT, int(each.variant.id)) for each in chosen),
        own={"left": changing - len(chosen) or None},
        lines=tuple(_line(each, names) for each in chosen),
        currency=names.base_currency() if request.which == "sales" else None,
        changes=tuple(_change(request, each) for each in chosen),
        prior_state={_VARIANT: [each.variant.record for each in chosen]},
        revert=None if unpriced or not is_lawful else _back(request, chosen),
        one_way=f"{unpriced} had no price before, and Katana keeps 0 instead of none" if unpriced else "",
    )


def _sku(variant: Stored) -> str:
    return text(variant.record, "sku") or str(variant.id)


def _action(request: ChangePricesRequest, each: _Priced) -> Action:
    body = canonical({_field(request): each.new})
    title = f"set the {request.which} price of {_sku(each.variant)} to {plain_number(each.new)}"
    return on_record(title, _VARIANT, "variants", int(each.variant.id), body)


def _line(each: _Priced, names: Names) -> PlanLine:
    record = each.variant.record
    return PlanLine(
        change="update",
        variant_id=get_int(record, "id"),
        sku=text(record, "sku"),
        name=names.display(record),
        price=each.new,
    )


def _change(request: ChangePricesRequest, each: _Priced) -> FieldChange:
    old = None if each.old is None else str(plain_number(each.old))
    return FieldChange(field=f"{_sku(each.variant)}.{_field(request)}", old=old, new=str(plain_number(each.new)))


def _back(request: ChangePricesRequest, chosen: Sequence[_Priced]) -> JsonObject:
    prices = [
        IfApplied(place, {"sku_or_variant_id": each.variant.id, "price": plain_number(each.old or Decimal(0))})
        for place, each in enumerate(chosen)
    ]
    return {"tool": TOOL, "arguments": {"which": request.which, "prices": prices, "decimals": 4}}


PRICING = Change(
    request=ChangePricesRequest,
    gather=_gather,
    plan=_plan,
    checks=_checks,
    reads=_READS,
    answer=ChangePricesResponse,
)
