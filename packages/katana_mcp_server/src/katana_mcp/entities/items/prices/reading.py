"""Which variants are meant, as they are, and what their prices become."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from cache_core.conditions import Missing, OneOf, Order, Where, Within
from cache_core.protocol import Selection, Stored
from katana_mcp.documents.gathering import Asked, references
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.items.prices.lists import PriceList, read_list
from katana_mcp.entities.items.prices.request import ChangePricesRequest
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.item_codes import BOUGHT, CODES
from katana_mcp.references.resolve import read_anew
from katana_mcp.references.services import Services, current
from katana_mcp.values import number

VARIANT = "variant"
READS = (*VARIANT_ENTITIES, "supplier", *FACTORY)
_ITEMS = (("product", "product_id"), ("material", "material_id"))
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Priced:
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
class Meant:
    """The variants that are meant, by their ids, and how many one plan takes.

    Attributes:
        variants: as they are.
        most: that one plan takes.
        is_of_items: whether filters leave any item.
        of_list: the price list whose prices change, instead of those of the variants.
    """

    variants: Sequence[Stored]
    most: int
    is_of_items: bool = True
    of_list: PriceList | None = None


async def gather(request: ChangePricesRequest, services: Services) -> Facts:
    """Return the variants that are meant, those that one plan changes as they are in Katana now."""
    await current(services, READS, ())
    by_code: list[Asked] = [("variant", price.sku_or_variant_id) for price in request.prices]
    goods = [*by_code, *(("variant", key) for key in request.skus_or_variant_ids or ())]
    supplier: list[Asked] = [] if request.supplier_id is None else [("supplier", request.supplier_id)]
    found = await references(services, [*goods, *supplier])
    if by_code:
        found |= await references(services, by_code, BOUGHT if request.which == "purchase" else CODES)
    facts = Facts(references=found, days=services.days)
    most, is_any = min(services.most_lines, services.most_writes), True
    ids = sorted({one.id for asked in goods for one in found[asked].found})
    of_list = None if request.price_list is None else await read_list(request.price_list, services)
    if not request.prices and of_list is not None:
        listed = sorted(key for key in of_list.rows if of_list.fixed(key) is not None)
        within = sorted({*ids} & {*listed}) if goods else listed
        ids, is_any = await _filtered(request, facts, within, (), services)
    elif not goods or request.category is not None or request.supplier_id is not None:
        priced = (Missing(field_of(request), missing=False),)
        ids, is_any = await _filtered(request, facts, ids if goods else None, priced, services)
    await read_anew(services, {VARIANT: ids[: most + 1]})
    found |= await references(services, [(VARIANT, key) for key in ids[: most + 1]])
    stored = (await services.cache.get_many(VARIANT, ids)).rows
    names = await look_up(
        services.cache, {VARIANT: [], "supplier": [], "factory": []}, [(VARIANT, row) for row in stored]
    )
    ordered = sorted((row for row in stored if not row.deleted), key=lambda row: int(row.id))
    return Facts(references=found, names=names, own=Meant(ordered, most, is_any, of_list), days=services.days)


async def _filtered(
    request: ChangePricesRequest, facts: Facts, of: Sequence[int] | None, mine: Where, services: Services
) -> tuple[list[int], bool]:
    """Return which variants, of these if any are named, have a price and an item that the filters leave; if any do."""
    mine += () if of is None else (OneOf("id", tuple(of)),)
    mine += () if request.after_variant_id is None else (Within("id", low=request.after_variant_id + 1),)
    filters: Where = () if request.category is None else (OneOf("category_name", (request.category,)),)
    if request.supplier_id is not None:
        named = facts.references["supplier", request.supplier_id].found
        filters = (*filters, OneOf("default_supplier_id", tuple(record.id for record in named)))
    found: list[Stored] = []
    is_any = not filters
    for entity, path in _ITEMS if filters else ():
        items = await services.cache.select(entity, Selection(filters, Order("id"), _MOST))
        is_any = is_any or bool(items)
        theirs = OneOf(path, tuple(item.id for item in items))
        found += await services.cache.select(VARIANT, Selection((*mine, theirs), Order("id"), _MOST)) if items else ()
    if not filters:
        found += await services.cache.select(VARIANT, Selection(mine, Order("id"), _MOST))
    return sorted(int(row.id) for row in found), is_any


def field_of(request: ChangePricesRequest) -> str:
    """Return the field of a variant that holds the price."""
    return f"{request.which}_price"


def called_price(request: ChangePricesRequest) -> str:
    """Return what people call the prices that change."""
    return f"{request.which} price" if request.price_list is None else "price in the list"


def list_of(facts: Facts) -> PriceList | None:
    """Return the price list whose prices change, if any."""
    return facts.own.of_list if isinstance(facts.own, Meant) else None


def old_price(request: ChangePricesRequest, variant: Stored, facts: Facts) -> Decimal | None:
    """Return the price of a variant now, of itself or in the price list."""
    of_list = list_of(facts)
    if request.price_list is None or of_list is None:
        return number(variant.record, field_of(request))
    row = of_list.fixed(variant.id)
    return None if row is None else number(row, "amount")


def currency_of(request: ChangePricesRequest, priced: Priced, names: Names) -> str | None:
    """Return in what a price is: the base currency, or for a purchase that of the item's supplier."""
    if request.which == "sales":
        return names.base_currency()
    for entity, path in _ITEMS:
        item = names.record(entity, priced.variant.record.get(path))
        if item is not None:
            return text(names.record("supplier", item.get("default_supplier_id")), "currency")
    return None


def called_of(variant: Stored, facts: Facts) -> str:
    """Return what people call a variant; an SKU that others have too with name and id."""
    named = facts.with_id(VARIANT, variant.id)
    return text(variant.record, "sku") or str(variant.id) if named is None else named.called


def _priced(request: ChangePricesRequest, facts: Facts) -> list[Priced]:
    """Return the variants that are meant with what their prices become."""
    own = facts.own
    variants = own.variants if isinstance(own, Meant) else ()
    after = [variant for variant in variants if int(variant.id) > (request.after_variant_id or 0)]
    if request.prices:
        return [*_one_by_one(request, facts, after)]
    if request.percent is None:
        return []
    factor = 1 + request.percent / 100
    olds = [(row, old_price(request, row, facts)) for row in after]
    return [
        Priced(
            variant, old, _rounded(old * factor, _decimals_of(old) if request.decimals is None else request.decimals)
        )
        for variant, old in olds
        if old is not None
    ]


def _one_by_one(request: ChangePricesRequest, facts: Facts, variants: Sequence[Stored]) -> Iterator[Priced]:
    by_id = {row.id: row for row in variants}
    for nr, price in enumerate(request.prices):
        one = facts.references[VARIANT, price.sku_or_variant_id].one
        variant = None if one is None else by_id.get(one.id)
        if variant is not None:
            old = old_price(request, variant, facts)
            new = price.price if request.decimals is None else _rounded(price.price, request.decimals)
            yield Priced(variant, old, new, f"prices[{nr}]")


def _rounded(price: Decimal, decimals: int) -> Decimal:
    return price.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP).normalize() + 0


def _decimals_of(price: Decimal) -> int:
    """Return how many a raised price keeps: as many as it has, at least those of a cent."""
    exponent = price.normalize().as_tuple().exponent
    return max(_CENTS, -exponent) if isinstance(exponent, int) else _CENTS


_CENTS = 2


def changing_of(request: ChangePricesRequest, facts: Facts) -> list[Priced]:
    """Return those whose price will be another, however many there are."""
    return [priced for priced in _priced(request, facts) if priced.new != priced.old]


def chosen_of(request: ChangePricesRequest, facts: Facts) -> list[Priced]:
    """Return those that this plan changes: as many as it takes."""
    return changing_of(request, facts)[: facts.own.most if isinstance(facts.own, Meant) else 0]
