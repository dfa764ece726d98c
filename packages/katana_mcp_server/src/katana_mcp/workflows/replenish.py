"""`replenish`: draft purchase orders for what is short, by supplier and location; nothing is written before apply_plan.

Each order is a plan of `create_purchase_order` with its own token. What cannot be ordered is named with the reason.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Annotated

from pydantic import Field

from cache_core.conditions import OneOf, Where
from cache_core.records import iso
from cache_core.sync import StockAnswer
from katana_mcp.references.display_names import FACTORY, Names, look_up, none_yet
from katana_mcp.references.resolve import none_at_all
from katana_mcp.references.services import Services, current
from katana_mcp.references.suggestions import did_you_mean
from katana_mcp.surface.descriptor import AnyTool, ToolSpec
from katana_mcp.surface.operations.filters import AtLocation, Refers, where
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.operations.planning import preview
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number, so_many
from katana_mcp.tools.requests import WHOLE, NameOrId, Request, SkusOrVariantIds
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, truncated
from katana_mcp.workflows.free_elsewhere import Transfers, added, free_stock, read_transfers
from katana_mcp.workflows.low_stock import FRESH_FOR
from katana_mcp.workflows.needs import Needs, needs_of
from katana_mcp.workflows.replenish_fitting import fitted, gets_left_out, left_out, transfer_calls
from katana_mcp.workflows.replenish_orders import (
    OrderedLine,
    OrderKey,
    Proposal,
    Situation,
    Transfer,
    balanced,
    proposal,
    variants_of,
)
from katana_mcp.workflows.replenish_reading import (
    DRAFTS,
    deleted_of,
    drafted,
    every_variant,
    levels_in,
    only_made,
    producible,
    recipes_of,
    taken_of,
    within_horizon,
)
from katana_mcp.workflows.requirements import Coming, Level, Place, Recipes, Requirements, ingredients, requirements
from katana_mcp.workflows.stock import LEVELS, age_of, places_in, unread, without_figures
from katana_mcp.workflows.variants import NotFound, Resolved, beside, resolve
from katana_mcp.workflows.whole_account import PatientReads, goes_on, patient
from katana_mcp.writing.change import AnyChange, Changes
from katana_mcp.writing.gathering import in_time

_TOOL, _CREATE = "replenish", "create_purchase_order"
_READS = (
    *("variant", "product", "material", "location", "supplier", "bom_row", "sales_order"),
    *("sales_order_fulfillment", "purchase_order", "stock_transfer"),
    *("manufacturing_order", "manufacturing_order_recipe_row", *FACTORY),
)
_USED = {
    "bom_row": ("product_variant_id", "ingredient_variant_id", "quantity"),
    "variant": ("product_id", "material_id", "purchase_price", "minimum_order_quantity"),
    **dict.fromkeys(("product", "material"), ("default_supplier_id", "purchase_uom_conversion_rate")),
    "stock_transfer": ("status", "source_location_id", "target_location_id", "stock_transfer_rows[].quantity"),
}


class ReplenishRequest(Request):
    """Arguments of `replenish`."""

    skus_or_variant_ids: SkusOrVariantIds | None = None
    """Only these, SKUs (texts) or variant ids (integers), and what they are made of."""
    location_id: AtLocation = None
    supplier_id: Annotated[NameOrId | None, Refers("supplier", "default_supplier_id", "supplier")] = None
    """Default supplier: id, or name or a part of it."""
    horizon_days: Annotated[int, Field(ge=1, le=365), WHOLE] | None = None
    """Count only what orders need within this many days; reorder points always count."""
    from_elsewhere: bool = True
    """False: order what other locations could spare too."""


class DraftOrder(Answer):
    """A draft purchase order as it would be made."""

    supplier_id: int
    supplier: str | None = None
    location_id: int
    location: str | None = None
    total: Number | None = None
    """Without tax."""
    currency: str | None = None
    plan_token: str | None = None
    """None if the order cannot be planned: see the warnings."""
    lines: list[OrderedLine]


class ReplenishAnswer(Envelope):
    """The answer of `replenish`."""

    message: str
    orders: list[DraftOrder]
    to_transfer: list[str]
    """What other locations can spare all of, with how much and why; it is not in the orders."""
    to_make: list[str]
    """What has to be made first, with how much and why; its ingredients are counted."""
    cannot_order: list[str]
    """What else is short, how much, and why it cannot be ordered."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read: levels and needs as the horizon counts them, bills of materials, and what is to be said of it.

    Attributes:
        everywhere: levels of all locations, with all that is committed.
        needs: None where there is no horizon: what is short is known before who needs it.
    """

    roots: Sequence[int]
    everywhere: Mapping[Place, Level]
    levels: Mapping[Place, Level]
    needs: Needs | None
    recipes: Recipes
    made: frozenset[int]
    stock: StockAnswer
    warnings: Sequence[ToolWarning]


async def _run(change: AnyChange, request: ReplenishRequest, services: Services) -> Answer:
    services = in_time(services)._replace(read_at={}, keys_asked=set())
    with patient(services) as reads:
        return await _answer(change, request, reads)


async def _answer(change: AnyChange, request: ReplenishRequest, reads: PatientReads) -> Answer:
    services, began = reads.services, reads.services.clock.monotonic()
    now = await current(services, _READS, ("variant",))
    with now.refusals():
        request, notices = await completed(request, services)
        conditions = await where(request, services)
    resolved = await resolve(request.skus_or_variant_ids or (), services)
    read = await _read(request, resolved, conditions, reads, began)
    transfers = await read_transfers(services)
    again = partial(requirements, read.levels, read.recipes, read.roots, idle=transfers.idle)
    required, situation = await _situation(again, read, transfers, conditions, services)
    found = balanced(required, situation, again) if request.from_elsewhere else proposal(required, situation)
    said = beside(resolved)
    fit = fitted(found, said.parts)
    planned = [await _planned(change, key, lines, situation.names, services) for key, lines in fit.orders.items()]
    orders = [order for order, _ in planned]
    tokens = [order.plan_token for order in orders if order.plan_token]
    return now.answer(
        ReplenishAnswer,
        *notices,
        *said.warnings,
        *(_missing(missing) for missing in said.not_found),
        *unread(read.stock),
        *read.warnings,
        *unread_warnings(now, _USED),
        *left_out(found, fit, situation.names),
        *(warning for _, warnings in planned for warning in warnings),
        message=_message(orders, found, services),
        orders=orders,
        to_transfer=[transfer.phrase for transfer in fit.to_transfer],
        to_make=fit.to_make,
        cannot_order=fit.cannot_order,
        next_actions=[
            *_transfers(fit.to_transfer, services),
            *([f"apply_plan(plan_tokens={tokens})"] if tokens else []),
            *([f"{_TOOL}(..., from_elsewhere=False): to order it instead"] if found.to_transfer else []),
            *gets_left_out(found, fit),
            *goes_on(_TOOL, now, services, len(read.stock.unknown)),
            *([none_yet("items")] if not read.roots and await none_at_all(services, "variant") else ()),
        ],
        **age_of(read.stock, now, services),
    )


def _transfers(transfers: Sequence[Transfer], services: Services) -> list[str]:
    """Return the calls that plan what is brought from other locations; none where nothing may be written."""
    return [] if services.read_only else [f"{call}: free there, so not ordered" for call in transfer_calls(transfers)]


def _missing(unknown: NotFound) -> ToolWarning:
    message = f"nothing has the SKU or variant id {unknown.asked!r}{did_you_mean(unknown.did_you_mean or ())}"
    return advisory(warning_codes.NOT_FOUND, message, "skus_or_variant_ids")


async def _read(
    request: ReplenishRequest, resolved: Resolved, conditions: Where, reads: PatientReads, began: float
) -> _Read:
    """Return the levels of what is asked about and of all that it is made of."""
    services, is_cut = reads.services, False
    variants = resolved.variants
    if request.skus_or_variant_ids is None:
        variants, is_cut = await every_variant(services)
    roots = [variant.id for variant in variants if isinstance(variant.id, int)]
    recipes, is_deep = await recipes_of(await producible(roots, services), services)
    looked_at = list(dict.fromkeys([*roots, *ingredients(recipes)]))
    spent = services.clock.monotonic() - began
    stock = await reads.stock().ensure(looked_at, FRESH_FOR, spent, fields=LEVELS)
    places = places_in(conditions)
    levels, unknown = await levels_in(stock, places)
    everywhere, needs = (await levels_in(stock, frozenset()))[0], None
    listed = {variant for variant, _ in everywhere}
    deleted = await deleted_of(variants, [variant for variant in looked_at if variant not in listed], services)
    if deleted:
        levels = await taken_of(deleted, levels, places, services)
        recipes = {made: recipe for made, recipe in recipes.items() if made not in deleted}
    if request.horizon_days is not None:
        end = _end(request.horizon_days, services)
        levels, needs = await within_horizon(levels, looked_at, end, services)
    recipes = await only_made(recipes, services)
    warnings = [truncated(_TOO_MANY)] if is_cut or is_deep else []
    warnings += without_figures(unknown, "could not be judged")
    return _Read(roots, everywhere, levels, needs, recipes, frozenset(recipes), stock, warnings)


_TOO_MANY = "not all items and bills of materials could be looked at; name some by skus_or_variant_ids"


def _end(days: int, services: Services) -> str:
    """Return the last moment of the horizon."""
    return iso(services.days.tonight(services.clock.now() + timedelta(days=days)))


async def _situation(
    again: Callable[[Coming], Requirements],
    read: _Read,
    transfers: Transfers,
    conditions: Where,
    services: Services,
) -> tuple[Requirements, Situation]:
    """Return what is short besides what drafts bring, and what a proposal is made from."""
    of_drafts = added(chain(transfers.coming.items(), drafted((await services.cache.read([DRAFTS]))[0])))

    def coming(place: Place, _: Decimal) -> Decimal:
        return of_drafts.get(place, Decimal(0))

    required = again(coming)
    variants = variants_of(required.found)
    names = await look_up(
        services.cache,
        {
            "variant": variants,
            "supplier": (),
            "factory": (),
            "location": [requirement.place[1] for requirement in required.found],
        },
    )
    # Elsewhere, too, something may have to be made of what is there.
    used = requirements(read.everywhere, read.recipes, read.roots, coming, transfers.idle).used
    supplied = (
        condition
        for condition in conditions
        if isinstance(condition, OneOf) and condition.field == "default_supplier_id"
    )
    return required, Situation(
        names=names,
        needs=await needs_of(variants, services) if read.needs is None else read.needs,
        drafted=of_drafts,
        free=free_stock(read.everywhere, transfers, used),
        made=read.made,
        idle=transfers.idle,
        suppliers=frozenset(value for condition in supplied for value in condition.values),
        days=services.days,
        now=services.clock.now(),
    )


async def _planned(
    change: AnyChange, key: OrderKey, lines: Sequence[OrderedLine], names: Names, services: Services
) -> tuple[DraftOrder, list[ToolWarning]]:
    """Return a draft order with the token of its plan, and what speaks against it or should be known of it."""
    supplier, location = key
    last = max(line.arrival_date for line in lines)
    shown = {"supplier": names.name("supplier", supplier), "location": names.name("location", location)}
    header = {"supplier_id": supplier, "location_id": location, **shown}
    arguments = {
        "supplier_id": supplier,
        "location_id": location,
        "status": "DRAFT",
        "expected_arrival_date": _moment(last, services),
        "rows": [
            {
                "sku_or_variant_id": line.variant_id,
                "quantity": line.quantity,
                "arrival_date": _moment(line.arrival_date, services),
            }
            for line in lines
        ],
    }
    try:
        plan = await preview(_CREATE, change, change.request.model_validate(arguments), services)
    except Refused as refusal:
        return DraftOrder.model_validate({**header, "lines": lines}), [
            _about(shown, warning) for warning in refusal.warnings
        ]
    warnings = [_about(shown, warning) for warning in plan.warnings if warning.severity != "info"]
    of_plan = {"total": plan.net_total, "currency": plan.currency, "plan_token": plan.plan_token}
    return DraftOrder.model_validate({**header, **of_plan, "lines": lines}), warnings


def _moment(day: str, services: Services) -> str:
    """Return the first moment of a day of the factory."""
    return iso(services.days.start(date.fromisoformat(day)))


def _about(shown: Mapping[str, object], warning: ToolWarning) -> ToolWarning:
    """Return a warning of a plan as one of this answer, which is not refused for it."""
    message = f"order of {shown['supplier']} for {shown['location']}: {warning.message}"
    return advisory(warning.code or warning_codes.PLAN_TOO_LARGE, message)


def _message(orders: Sequence[DraftOrder], found: Proposal, services: Services) -> str:
    """Return in a sentence what is planned, and what is short besides."""
    lines = sum(len(order.lines) for order in orders)
    drafts = f"{so_many(len(orders), 'draft purchase order')} with {so_many(lines, 'line')}"
    parts = [drafts if orders else "nothing is to be ordered"]
    to_make = len(found.to_make)
    parts += [f"{so_many(to_make, 'product')} {'has' if to_make == 1 else 'have'} to be made"] if to_make else []
    parts += [f"{so_many(len(found.cannot_order), 'short item')} cannot be ordered"] if found.cannot_order else []
    parts += [f"{found.drafted} {'is' if found.drafted == 1 else 'are'} covered by drafts"] if found.drafted else []
    spared = len(found.to_transfer)
    parts += [f"{so_many(spared, 'short item')} left to transfers from other locations"] if spared else []
    end = "read-only mode: nothing can be applied here" if services.read_only else _UNWRITTEN
    return f"{', '.join(parts)}; {end}"


_UNWRITTEN = "nothing is written before apply_plan"


def replenish_tool(changes: Changes) -> AnyTool:
    """Return the tool that plans draft purchase orders for what is short."""
    change = changes[_CREATE]
    return ToolSpec(
        name=_TOOL,
        toolset="purchasing",
        description=(
            "Plan draft purchase orders for what is short, by supplier and location; nothing is written.\n\n"
            "Counts reorder points, what orders need, what is on its way or drafted, minimum orders and purchase "
            "units; ingredients of products that have to be made count too. Each order has a `plan_token`: apply all "
            "in one `apply_plan`. `cannot_order` says what has no supplier or price."
        ),
        request=ReplenishRequest,
        answer=ReplenishAnswer,
        run=partial(_run, change),
        reads=tuple(dict.fromkeys((*_READS, *change.reads))),
        plans=True,
    )
