"""`change_prices`: sales or purchase prices of many variants, by a percentage or one by one, shown line by line."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from cache_core.records import canonical
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.items.options import OWN
from katana_mcp.entities.items.prices.checks import checks
from katana_mcp.entities.items.prices.listing import back_of_list, bound_of_list, listed, sent_to_list
from katana_mcp.entities.items.prices.lists import LIST
from katana_mcp.entities.items.prices.reading import (
    READS,
    VARIANT,
    Priced,
    called_of,
    changing_of,
    chosen_of,
    currency_of,
    field_of,
    gather,
    list_of,
)
from katana_mcp.entities.items.prices.request import ChangePricesRequest, ChangePricesResponse
from katana_mcp.references.display_names import text
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.values import get_int
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, on_record
from katana_mcp.writing.change import Change, Draft, record_lane
from katana_mcp.writing.preview import FieldChange, PlanLine

TOOL = "change_prices"


def _plan(request: ChangePricesRequest, facts: Facts) -> Draft:
    if request.price_list is not None:
        return _of_list(request, facts)
    chosen = chosen_of(request, facts)
    is_lawful = not any(check.severity == "blocking" for check in checks(request, facts))
    changing = len(changing_of(request, facts))
    unpriced = sum(priced.old is None for priced in chosen)
    by = "" if request.percent is None else f" by {plain_number(request.percent)} %"
    names = facts.names
    currencies = [currency_of(request, priced, names) for priced in chosen]
    one = currencies[0] if len(set(currencies)) == 1 else None
    return Draft(
        summary=f"change {request.which} prices of {so_many(len(chosen), 'variant')}{by}",
        actions=tuple(_action(request, priced, facts) for priced in chosen) if is_lawful else (),
        touches={VARIANT: [priced.variant.record for priced in chosen]},
        lanes=tuple(record_lane(VARIANT, int(priced.variant.id)) for priced in chosen),
        own={"left": changing - len(chosen) or None},
        lines=tuple(_line(priced, facts) for priced in chosen),
        currency=one,
        changes=tuple(
            FieldChange(
                field=f"{called_of(priced.variant, facts)}.{field_of(request)}",
                old=_price_text(priced.old, None if one else currency),
                new=_price_text(priced.new, None if one else currency),
            )
            for priced, currency in zip(chosen, currencies, strict=True)
        ),
        prior_state={VARIANT: [priced.variant.record for priced in chosen]},
        revert=None if unpriced or not is_lawful else _back(request, chosen),
        one_way=f"{unpriced} had no price before, and Katana keeps 0 instead of none" if unpriced else "",
    )


def _of_list(request: ChangePricesRequest, facts: Facts) -> Draft:
    """Return the plan of prices in a price list."""
    chosen, of_list = chosen_of(request, facts), list_of(facts)
    one = None if of_list is None else of_list.named.one
    is_lawful = not any(check.severity == "blocking" for check in checks(request, facts))
    if of_list is None or one is None:
        return Draft(summary=f"change prices of price list {request.price_list}")
    pairs = [*listed(chosen, of_list)]
    back = back_of_list(pairs)
    by = "" if request.percent is None else f" by {plain_number(request.percent)} %"
    return Draft(
        summary=f"change {so_many(len(chosen), 'price')} of price list {one.called}{by}",
        actions=tuple(sent_to_list(pairs, one, facts)) if is_lawful else (),
        touches={LIST: bound_of_list(pairs, one)},
        lanes=(record_lane(LIST, one.id),),
        own={"left": len(changing_of(request, facts)) - len(chosen) or None},
        lines=tuple(_line(priced, facts) for priced in chosen),
        changes=tuple(pair.changed(called_of(pair.priced.variant, facts), one.called) for pair in pairs),
        prior_state=bound_of_list(pairs, one),
        revert=None
        if back is None or not is_lawful
        else {"tool": TOOL, "arguments": {"which": "sales", "price_list": one.id, "prices": back}},
        one_way="" if back else "some were no prices of the list before, or were worked out by Katana",
    )


def _action(request: ChangePricesRequest, priced: Priced, facts: Facts) -> Action:
    body = canonical({field_of(request): priced.new})
    title = f"set the {request.which} price of {called_of(priced.variant, facts)} to {plain_number(priced.new)}"
    action = on_record(title, VARIANT, "variants", int(priced.variant.id), body)
    return replace(action, implies={OWN: priced.variant.record.get(OWN)})  # the answer to a price alone shows none


def _line(priced: Priced, facts: Facts) -> PlanLine:
    record, variant = priced.variant.record, facts.with_id(VARIANT, priced.variant.id)
    return PlanLine(
        change="update",
        variant_id=get_int(record, "id"),
        sku=text(record, "sku"),
        is_shared=None if variant is None else variant.is_shared or None,
        name=facts.names.display(record),
        price=priced.new,
    )


def _price_text(price: Decimal | None, currency: str | None) -> str | None:
    """Return a price, with its currency where those of one plan are in several."""
    return None if price is None else " ".join(filter(None, (str(plain_number(price)), currency)))


def _back(request: ChangePricesRequest, chosen: Sequence[Priced]) -> JsonObject:
    prices = [
        IfApplied(place, {"sku_or_variant_id": priced.variant.id, "price": plain_number(priced.old or Decimal(0))})
        for place, priced in enumerate(chosen)
    ]
    return {"tool": TOOL, "arguments": {"which": request.which, "prices": prices}}


PRICING = Change(
    request=ChangePricesRequest,
    gather=gather,
    plan=_plan,
    checks=checks,
    reads=READS,
    answer=ChangePricesResponse,
)
