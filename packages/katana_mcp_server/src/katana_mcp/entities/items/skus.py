"""SKUs of items: Katana takes one that another has, and then the SKU alone finds neither."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import cast

from cache_core.conditions import OneOf
from cache_core.protocol import Stored
from katana_mcp.documents.leaving import bound, open_orders
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.entities.items.finding import one_item
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, look_up, service_variants, text
from katana_mcp.references.resolve import live_with_keys
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, rows
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.change import sku_lane

READ = (*VARIANT_ENTITIES, *FACTORY)
"""The cache entities that a plan reads besides the service."""


async def find(services: Services, id_or_name: int | str) -> Stored:
    """Return the service that an id, an exact name or a SKU names, as `get_item` finds it."""
    return (await one_item(id_or_name, "service", services))[1]


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with the currency of prices, who has the SKU that is to be given, and orders of what goes."""
    facts = replace(change.facts, names=await look_up(services.cache, {"factory": ()}))
    if change.after is None:
        sold = tuple(get_int(row, "id") or 0 for row in rows(change.old, "variants"))
        naming = (OneOf("sales_order_rows[].variant_id", sold),)
        return replace(facts, linked=(await open_orders(naming, services),))
    sku = change.head.get("sku")
    mine = {get_int(variant, "id") or 0 for variant in rows(change.old, "variants")}
    return replace(facts, own=(await having([sku], mine, services))[sku]) if isinstance(sku, str) else facts


async def having(skus: Sequence[str], mine: Collection[int], services: Services) -> dict[str, tuple[int, ...]]:
    """Return the ids of live variants that have each SKU in Katana now, but for these."""
    sold = [row for row in await service_variants(services.cache, "sku", [*skus]) if not row.deleted]
    found = await live_with_keys(services, "variant", skus)
    return {
        sku: tuple(
            sorted({*ids, *(get_int(row.record, "id") or 0 for row in sold if row.record["sku"] == sku)} - {*mine})
        )
        for sku, ids in found.items()
    }


def _others(change: Transition) -> tuple[int, ...]:
    return cast("tuple[int, ...]", change.facts.own or ())


def taken(change: Transition) -> Iterator[ToolWarning]:
    """Yield that other variants have the SKU."""
    if others := _others(change):
        yield shared(change.new.get("sku"), others, "sku")


def shared(sku: object, others: Sequence[int], path: str) -> ToolWarning:
    """Return that other variants have a SKU that is given."""
    what = f"variant {others[0]} has" if len(others) == 1 else f"variants {', '.join(map(str, others[:5]))} have"
    message = f"{what} the SKU {sku} too: use the id, because the SKU is not unique"
    return advisory(warning_codes.DUPLICATE_SKU, message, path)


def binds(change: Transition) -> JsonObject:
    """Return who else has the SKU, and the open orders of what goes: by the apply they have to be the same."""
    having = {} if change.facts.own is None else {"others with the SKU": list(_others(change))}
    return {**having, **bound(change)}


def lanes(change: Transition) -> tuple[str, ...]:
    """Return the SKU that is given: of two plans that give it, the second is judged by what the first has done."""
    sku = change.head.get("sku")
    return (sku_lane(sku),) if isinstance(sku, str) else ()


def currency(change: Transition) -> str | None:
    """Return the base currency, in which prices and costs of services are."""
    return change.facts.names.base_currency()


def described(change: Transition) -> str:
    """Return the SKUs of an item that is new or goes."""
    every = [text(change.subject, "sku"), *(text(row, "sku") for row in rows(change.subject, "variants"))]
    named = list(dict.fromkeys(sku for sku in every if sku))
    more = len(named) - _SHOWN
    shown = ", ".join([*named[:_SHOWN], *([f"and {more} more"] if more > 0 else [])])
    return f" ({shown})" if shown else ""


_SHOWN = 5
