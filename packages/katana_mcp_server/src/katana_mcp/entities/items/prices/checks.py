"""What speaks against a change of prices, and what of it is left for another plan."""

from collections.abc import Iterator
from decimal import Decimal

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.items.fields import DEAREST
from katana_mcp.entities.items.prices.lists import LIST
from katana_mcp.entities.items.prices.reading import (
    VARIANT,
    Meant,
    called_of,
    called_price,
    changing_of,
    chosen_of,
    list_of,
    old_price,
)
from katana_mcp.entities.items.prices.request import ChangePricesRequest
from katana_mcp.entities.items.unusual_prices import UNUSUAL, is_unusual
from katana_mcp.references import wording
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking, info, truncated


def checks(request: ChangePricesRequest, facts: Facts) -> list[ToolWarning]:
    """Return it; what is left is told only where all else can be meant."""
    wrong = [*_asked(request), *_listed(request, facts), *_named(request, facts), *_turned(request, facts)]
    is_meant = not any(warning.severity == "blocking" for warning in wrong)
    return [
        *wrong,
        *([*_left(request, facts), *_worked_out(request, facts), *_unusual(request, facts)] if is_meant else ()),
    ]


def _asked(request: ChangePricesRequest) -> Iterator[ToolWarning]:
    """Yield what of the arguments does not go together."""
    if (request.percent is None) is not bool(request.prices):
        message = "give either `percent`, which changes prices of many, or `prices` one by one"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "percent")
    for name in ("skus_or_variant_ids", "category", "supplier_id", "after_variant_id"):
        if request.prices and getattr(request, name) is not None:
            yield blocking(warning_codes.INVALID_ARGUMENT, f"{name} goes with `percent`, not with `prices`", name)


def _listed(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield what is wrong with the price list."""
    of_list = list_of(facts)
    if of_list is None:
        return
    yield from wording.unnamed(LIST, of_list.named, LIST)
    if request.which == "purchase":
        yield blocking(
            warning_codes.INVALID_ARGUMENT, "which: a price list holds sales prices, say which=sales", "which"
        )
    for nr, price in enumerate(request.prices):
        if not price.price:
            path = f"prices[{nr}].price"
            yield blocking(warning_codes.INVALID_ARGUMENT, f"{path}: Katana takes no 0 in a price list", path)
    if of_list.is_cut:
        message = f"{LIST}: it has more than {len(of_list.rows):,} prices, which are more than one call reads"
        yield blocking(warning_codes.INVALID_ARGUMENT, f"{message}: change it in Katana", LIST)


def _worked_out(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield how many prices of a list no percentage changes, because Katana works them out."""
    of_list = list_of(facts)
    if of_list is None or request.percent is None:
        return
    others = sum(of_list.fixed(key) is None for key in of_list.rows)
    if others:
        message = (
            f"{others} of the {len(of_list.rows)} prices of the list are a percentage or a markup, and stay as they are"
        )
        yield info(warning_codes.PRICE_REQUIRED, message, LIST)


def _named(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    asked = [(f"prices[{nr}].sku_or_variant_id", price.sku_or_variant_id) for nr, price in enumerate(request.prices)]
    asked += [(f"skus_or_variant_ids[{nr}]", key) for nr, key in enumerate(request.skus_or_variant_ids or ())]
    seen: dict[int, str] = {}
    for path, key in asked:
        named = facts.references[VARIANT, key]
        yield from wording.unnamed(VARIANT, named, path)
        if named.one is not None and named.one.id in seen:
            message = f"{path} is the same variant as {seen[named.one.id]}"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)
        elif named.one is not None:
            seen[named.one.id] = path
    yield from wording.understood([(path, facts.references[VARIANT, key]) for path, key in asked])
    if request.supplier_id is not None:
        yield from wording.unnamed("supplier", facts.references["supplier", request.supplier_id], "supplier_id")


def _turned(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield prices that a percentage makes what Katana does not take, or what nobody means."""
    for priced in chosen_of(request, facts) if request.percent is not None else ():
        old, label = (
            priced.old or Decimal(0),
            f"{called_of(priced.variant, facts)}: {plain_number(priced.old or Decimal(0))}",
        )
        is_turned = (priced.new > old) is not ((request.percent or 0) > 0)
        if is_turned or not priced.new:
            message = f"{label} would be rounded to {plain_number(priced.new)}: give more decimals, or leave it out"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, "decimals")
        elif priced.new > DEAREST:
            message = f"{label} would become more than {DEAREST}, which Katana takes at most"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, "percent")


def _left(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield what is not changed, and why."""
    chosen, changing = chosen_of(request, facts), changing_of(request, facts)
    if request.category is not None and isinstance(facts.own, Meant) and not facts.own.is_of_items:
        message = f"category: no item has exactly the category {request.category!r} and fits the other filters"
        yield blocking(warning_codes.NOT_FOUND, message, "category")
    elif not chosen:
        message = f"no chosen variant would get another {called_price(request)}: nothing would change"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)
    if request.skus_or_variant_ids:
        without = _without(request, facts)
        if without:
            message = f"{len(without)} have no {called_price(request)} to change: {', '.join(without[:_NAMED])}"
            yield info(warning_codes.PRICE_REQUIRED, message, "skus_or_variant_ids")
    if len(changing) > len(chosen):
        goes_on = f"after_variant_id={chosen[-1].variant.id}" if not request.prices else "those prices"
        message = f"a plan changes {len(chosen)} prices at most here: {len(changing) - len(chosen)} more would change"
        yield truncated(f"{message}; the same call with {goes_on} plans them once this plan is applied")


def _unusual(request: ChangePricesRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield which prices become nothing, less than a tenth, or more than ten times of what they are."""
    found = [priced for priced in chosen_of(request, facts) if is_unusual(priced.old, priced.new)]
    if found:
        prices = [
            f"{called_of(priced.variant, facts)} {'none' if priced.old is None else plain_number(priced.old)} → "
            f"{plain_number(priced.new)}"
            for priced in found
        ]
        path = f"{found[0].path}.price" if found[0].path else "percent"
        message = f"{path}: {UNUSUAL}: {first_of(prices, _NAMED)}"
        yield advisory(warning_codes.UNUSUAL_PRICE, message, path)


def _without(request: ChangePricesRequest, facts: Facts) -> list[str]:
    """Return which of the variants that are named have no price to change."""
    of_list = list_of(facts)
    if of_list is None:
        variants = facts.own.variants if isinstance(facts.own, Meant) else ()
        return [called_of(variant, facts) for variant in variants if old_price(request, variant, facts) is None]
    named = [facts.references[VARIANT, key].one for key in request.skus_or_variant_ids or ()]
    return [one.called for one in named if one is not None and of_list.fixed(one.id) is None]


_NAMED = 10
