"""`buildable`: how many of each product can be built now from stock that no order needs, and what limits it."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, cast

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Selection, Stored
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, none_yet, text
from katana_mcp.references.resolve import first_rows, none_at_all
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import AtLocation, where
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number, first_of
from katana_mcp.tools.requests import ListLimit, PageNumber, Request, SkusOrVariantIds
from katana_mcp.tools.warnings import ToolWarning, advisory, truncated
from katana_mcp.workflows.building import Buildable, BuildPlan, Free, build_plan
from katana_mcp.workflows.computing import computed_once
from katana_mcp.workflows.replenish_reading import levels_in, only_made, producible, recipes_of
from katana_mcp.workflows.requirements import Level, Place, Recipes, ingredients
from katana_mcp.workflows.stock import LEVELS, age_of, places_in, unread, without_figures
from katana_mcp.workflows.variants import NotFound, Resolved, beside, resolve
from katana_mcp.workflows.whole_account import PatientReads, goes_on, patient

_READS = (*VARIANT_ENTITIES, "bom_row", "location")
_USED = {"bom_row": ("product_variant_id", "ingredient_variant_id", "quantity"), "product": ("is_producible",)}
_MOST, _NAMED = 10_000, 3
_ID = frozenset(("id",))


class BuildableRequest(Request):
    """Arguments of `buildable`."""

    skus_or_variant_ids: SkusOrVariantIds | None = None
    """Only these products, SKUs (texts) or variant ids (integers); all that are made by default."""
    location_id: AtLocation = None
    count_committed: bool = False
    """True: also take stock that orders need."""
    limit: ListLimit = 25
    """Per page."""
    page: PageNumber = 1


class Limit(Answer):
    """An ingredient that lacks for one more."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    lacks: Number
    """In its stock unit."""


class BuildableProduct(Answer):
    """How many of a product can be built at a location."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    uom: str | None = None
    location_id: int | None = None
    location: str | None = None
    buildable: int
    """Whole units; those in stock do not count."""
    without_subassemblies: int | None = None
    """Of these, without building subassemblies first; absent if that changes nothing."""
    limited_by: list[Limit]
    """What lacks for one more, the largest quantity first."""
    note: str | None = None


class BuildableAnswer(Envelope):
    """The answer of `buildable`."""

    rows: list[BuildableProduct]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    not_found: list[NotFound]


class _Built(NamedTuple):
    """A product at a location, and how many of it can be built there."""

    place: Place
    found: Buildable
    plan: BuildPlan
    free: Free

    def rank(self) -> tuple[int, int, int]:
        """Return what those of which most can be built come first by."""
        return (-self.found.units, *self.place)


async def _run(request: BuildableRequest, services: Services) -> Answer:
    with patient(services) as reads:
        return await _answer(request, reads)


async def _answer(request: BuildableRequest, reads: PatientReads) -> Answer:
    services, began = reads.services, reads.services.clock.monotonic()
    now = await current(services, _READS, ("variant", "bom_row"))
    with now.refusals():
        request, notices = await completed(request, services)
        places = places_in(await where(request, services))
    named = request.skus_or_variant_ids
    resolved = Resolved([]) if named is None else await resolve(named, services)
    made, is_cut = await _made(request, resolved.variants, services)
    recipes, is_deep = await recipes_of(made, services)
    recipes = await only_made(recipes, services, frozenset(made))
    stock = await reads.stock().ensure(
        sorted(ingredients(recipes)), spent=services.clock.monotonic() - began, fields=LEVELS
    )
    levels, unjudged = await levels_in(stock, places)
    unknown = frozenset(record_id for record_id in stock.unknown if isinstance(record_id, int))
    # Ten thousand products take seconds of a processor, and so do a few with many levels below them.
    built = await computed_once(
        max(len(recipes), len(levels)),
        (recipes, levels),
        _built,
        made,
        recipes,
        levels,
        request,
        asked=(*made, request.count_committed),
        aside=True,
    )

    async def render(first: int, last: int) -> list[Answer]:
        return await _rows(built[first:last], unknown, services)

    said = beside(resolved)
    asked = await page_of("buildable", request, services, render, said.parts)
    page = paged(asked, await render(asked.first, asked.last), len(built), now, beside=said.parts)
    actions = cast("list[str]", page.fields.get("next_actions", []))
    actions = [*actions, *goes_on("buildable", now, services, len(stock.unknown))]
    if not made and await none_at_all(services, "variant"):
        actions = [none_yet("items")]
    page.fields["next_actions"] = actions
    return now.answer(
        BuildableAnswer,
        *notices,
        *said.warnings,
        *_left_out(resolved.variants, built, recipes),
        *unread(stock),
        *without_figures(unjudged, "count as empty"),
        *([truncated(_TOO_MANY)] if is_cut or is_deep else []),
        *unread_warnings(now, _USED),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        not_found=said.not_found,
        **age_of(stock, now, services),
    )


_TOO_MANY = "not all products and bills of materials could be looked at; name some by skus_or_variant_ids"


async def _made(request: BuildableRequest, named: Sequence[Stored], services: Services) -> tuple[list[int], bool]:
    """Return the variants that are asked about and made, and whether there are more than are looked at."""
    if request.skus_or_variant_ids is not None:
        return await producible([row.id for row in named if isinstance(row.id, int)], services), False
    products, more = await first_rows(
        services, "product", Selection((OneOf("is_producible", (True,)),), Order("id"), _MOST, fields=_ID)
    )
    mine = (OneOf("product_id", tuple(product.id for product in products)),)
    variants, others = await first_rows(services, "variant", Selection(mine, Order("id"), _MOST, fields=_ID))
    return [variant.id for variant in variants if isinstance(variant.id, int)], more or others


def _built(
    made: Sequence[int], recipes: Recipes, levels: Mapping[Place, Level], request: BuildableRequest
) -> list[_Built]:
    """Return how many of each can be built at each location at which anything is in stock, the most first."""
    free: dict[int, dict[int, Decimal]] = {}
    for (variant, location), level in levels.items():
        committed = Decimal(0) if request.count_committed else level.committed
        of, quantity = free.setdefault(location, {}), level.in_stock - committed
        if quantity > 0:
            of[variant] = quantity
    found = [
        _Built((plan.product, location), plan.buildable(of), plan, of)
        for plan in (build_plan(product, recipes) for product in made if product in recipes)
        for location, of in free.items()
    ]
    return sorted(found, key=_Built.rank)


def _left_out(named: Sequence[Stored], built: Sequence[_Built], recipes: Recipes) -> Iterator[ToolWarning]:
    """Yield why variants that were named have no row."""
    shown = {one.place[0] for one in built}
    left = [row for row in named if row.id not in shown]
    for is_made, why in ((False, _NOT_MADE), (True, _NO_STOCK)):
        called = [text(row.record, "sku") or f"variant {row.id}" for row in left if (row.id in recipes) is is_made]
        if called:
            yield advisory(warning_codes.NOT_PRODUCIBLE, f"{first_of(called, _NAMED)}: {why}")


_NOT_MADE = "no row, as it is not made or has no bill of materials"
_NO_STOCK = "no row, as nothing that it is made of is kept anywhere"


async def _rows(built: Sequence[_Built], unknown: frozenset[int], services: Services) -> list[Answer]:
    size = max((len(one.free) + len(one.plan.recipes) for one in built), default=0)
    limits = await computed_once(size, built, _limits, built)
    named = [variant for lacking in limits for variant, _ in lacking[:_NAMED]]
    ids_by_entity: dict[str, list[object]] = {
        "variant": [*(result.place[0] for result in built), *named],
        "location": [result.place[1] for result in built],
    }
    names = await look_up(services.cache, ids_by_entity, only_shown=True)
    known = (limits, *names.records.values())
    return list[Answer](await computed_once(size, known, _shown, built, limits, unknown, names, asked=unknown))


type _Lacking = Sequence[tuple[int, Decimal]]
"""What lacks for one more, the largest quantity first."""


def _limits(built: Sequence[_Built]) -> Sequence[_Lacking]:
    return [sorted(one.plan.limits(one.found.units, one.free).items(), key=lambda item: -item[1]) for one in built]


def _shown(
    built: Sequence[_Built], limits: Sequence[_Lacking], unknown: frozenset[int], names: Names
) -> Sequence[BuildableProduct]:
    return [
        _row(result, lacking, unknown.isdisjoint(variant for variant, _ in lacking), names)
        for result, lacking in zip(built, limits, strict=True)
    ]


def _row(built: _Built, lacking: _Lacking, is_read: bool, names: Names) -> BuildableProduct:
    variant, location = built.place
    found = built.found
    note = _CIRCULAR if built.plan.circular else None if is_read else _UNREAD
    return BuildableProduct(
        variant_id=variant,
        sku=names.sku(variant),
        name=names.variant(variant),
        uom=text(names.item(names.record("variant", variant)), "uom"),
        location_id=location,
        location=names.name("location", location),
        buildable=found.units,
        without_subassemblies=found.from_parts if found.from_parts != found.units else None,
        limited_by=[_limit(ingredient, lacks, names) for ingredient, lacks in lacking[:_NAMED]],
        note=note,
    )


_CIRCULAR = "its bill of materials leads back to itself"
_UNREAD = "at least so many: the stock of an ingredient could not be read"


def _limit(variant: int, lacks: Decimal, names: Names) -> Limit:
    return Limit(variant_id=variant, sku=names.sku(variant), name=names.variant(variant), lacks=lacks)


BUILDABLE = ToolSpec(
    name="buildable",
    toolset="manufacturing",
    description=(
        "Count how many of each product can be built now from uncommitted stock, by location, and name the "
        "ingredients that limit it; missing subassemblies are built too (cache-backed)."
    ),
    request=BuildableRequest,
    answer=BuildableAnswer,
    run=_run,
    reads=_READS,
)
