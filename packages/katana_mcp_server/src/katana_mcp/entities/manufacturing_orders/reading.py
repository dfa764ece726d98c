"""What a plan of a manufacturing order needs besides its request: rows and productions as they are now, its goods."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cache_core.records import Record
from katana_mcp.documents.gathering import Asked, references, rows_now
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, PRODUCTIONS, RECIPE_ROWS
from katana_mcp.entities.manufacturing_orders.producing import DONE, undone
from katana_mcp.references.display_names import VARIANT_ENTITIES, look_up
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import Verb
from katana_mcp.values import get_int, rows
from katana_mcp.writing.stock_moves import read_levels

_NEW = ("location", *VARIANT_ENTITIES)
_OLD = (*_NEW, RECIPE_ROWS, OPERATIONS, PRODUCTIONS)
BY_VERB: Mapping[Verb, tuple[str, ...]] = {"create": _NEW, "modify": _OLD, "delete": _OLD}
"""The cache entities that each verb reads besides the order."""
_OF_STOCK = (
    *("ingredient_availability", "ingredient_expected_date", "cost"),
    *("total_cost", "material_cost", "subassemblies_cost", "operations_cost"),
)


def read(order: State, facts: Facts) -> State:
    """Return an order with its recipe and its operations."""
    return {
        **order,
        "recipe_rows": list(facts.beside.get(RECIPE_ROWS, ())),
        "operation_rows": list(facts.beside.get(OPERATIONS, ())),
    }


def _own(record: Record) -> Record:
    """Return an order, or a row of one, without what stock and other orders change of it: no plan depends on that."""
    return {name: value for name, value in record.items() if name not in _OF_STOCK}


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with all that belongs to an order, what it is of, and the sales order that it is made for."""
    facts = change.facts
    if change.before is not None and facts.record is not None:
        facts = replace(facts, record=_own(facts.record), beside=await beside(change.before, services))
    named = [("sales_order", key)] if (key := get_int(change.old, "sales_order_id")) is not None else []
    await current(services, [entity for entity, _ in named], ())
    found = await references(services, [*_named_by(change.subject, facts)])
    facts = replace(facts, references={**found, **facts.references})
    mentioned = [(entity, record.id) for (entity, _), many in facts.references.items() for record in many.found]
    ids_by_entity: dict[str, list[object]] = {"variant": [], "location": [], "sales_order": []}
    for entity, record_id in [*mentioned, *named]:
        ids_by_entity.setdefault(entity, []).append(record_id)
    facts = replace(facts, names=await look_up(services.cache, ids_by_entity))
    moves = undone(replace(change, facts=facts))
    return replace(facts, levels=await read_levels(services, [move.variant for move in moves])) if moves else facts


async def beside(order: State, services: Services) -> dict[str, tuple[Record, ...]]:
    """Return the recipe and the operations of an order as they are in Katana now, and what was made of it.

    Raises:
        Refused: Katana does not say.
    """
    key = get_int(order, "id") or 0
    mine = ("manufacturing_order_id", key)
    found = {
        entity: await rows_now(services, entity, mine, manufacturing_order_id=key)
        for entity in (RECIPE_ROWS, OPERATIONS)
    }
    if order.get("completed_quantity") or order.get("status") == DONE:
        found[PRODUCTIONS] = await rows_now(services, PRODUCTIONS, mine, manufacturing_order_ids=[key])
    return {entity: tuple(map(_own, records)) for entity, records in found.items()}


def _named_by(order: State, facts: Facts) -> Iterator[Asked]:
    """Yield what an order, its rows and its productions name by id."""
    used = [
        ingredient for production in facts.beside.get(PRODUCTIONS, ()) for ingredient in rows(production, "ingredients")
    ]
    for record in (order, *facts.beside.get(RECIPE_ROWS, ()), *used):
        if (variant := get_int(record, "variant_id")) is not None:
            yield "variant", variant
    if (place := get_int(order, "location_id")) is not None:
        yield "location", place
