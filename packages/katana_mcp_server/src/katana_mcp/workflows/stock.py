"""What answers about stock share: how old it is, and that unknown is not zero."""

from collections.abc import Mapping
from decimal import Decimal

from cache_core.conditions import OneOf, Where
from cache_core.protocol import Stored
from cache_core.records import Record
from cache_core.sync import StockAnswer
from katana_mcp.references.services import Current, Services, age_seconds
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Stale, so_many
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, number, rows

NEVER = "a service is never in stock"


def is_service(variant: Stored) -> bool:
    """Return whether the variant is that of a service."""
    return variant.record.get("service_id") is not None


def places_in(conditions: Where) -> frozenset[object]:
    """Return the ids of the locations that filters name; none where they name none."""
    named = (condition for condition in conditions if isinstance(condition, OneOf) and condition.field == "location_id")
    return frozenset(value for condition in named for value in condition.values)


def is_at(level: Record, places: frozenset[object]) -> bool:
    """Return whether a level is that of one of these locations; without any, each is."""
    return not places or level.get("location_id") in places


LEVELS = frozenset(
    f"levels[].{name}"
    for name in (
        *("variant_id", "location_id", "reorder_point", "safety_stock_level"),
        *("quantity_in_stock", "quantity_committed", "quantity_expected"),
    )
)
"""What of a stock record its figures by location are."""


def levels_by_place(stock: StockAnswer) -> Mapping[tuple[int | None, int | None], Record]:
    """Return the levels by variant and location."""
    return {
        (get_int(level, "variant_id"), get_int(level, "location_id")): level
        for stored in stock.stored
        for level in rows(stored.record, "levels")
    }


def missing_of(needed: Decimal | None, level: Record) -> Decimal | None:
    """Return what lacks of what is needed: stock that others have committed is not theirs; None where not known."""
    in_stock, committed = number(level, "quantity_in_stock"), number(level, "quantity_committed")
    if needed is None or in_stock is None or committed is None:
        return None
    return min(needed, max(Decimal(0), committed - in_stock))


def _stale_levels(stock: StockAnswer, services: Services) -> Stale | None:
    """Return by how much the levels are older than they should be, or None."""
    if not stock.stale or stock.as_of is None:
        return None
    age = age_seconds(services.clock, stock.as_of)
    return Stale(age_seconds=age, reason=stock.reason or "it was changed while it was read")


def age_of(stock: StockAnswer, now: Current, services: Services) -> dict[str, object]:
    """Return `as_of` and `stale` of an answer about levels: where its variants are old, the older of both says so.

    The age is that of `as_of`.
    """
    levels, rows = _stale_levels(stock, services), now.staleness
    if rows is None:
        return {"as_of": stock.as_of or now.as_of, "stale": levels}
    older = max((levels or rows, rows), key=lambda candidate: candidate.age_seconds)
    as_of = min((moment for moment in (stock.as_of, now.as_of) if moment is not None), default=None)
    age = older.age_seconds if as_of is None else age_seconds(services.clock, as_of)
    return {"as_of": as_of, "stale": Stale(age_seconds=age, reason=older.reason)}


def without_figures(levels: int, effect: str) -> list[ToolWarning]:
    """Return a warning about levels of which Katana gives no figure, and what that means for the answer."""
    message = f"{levels} levels {effect}, because Katana gives no figure for a part of them"
    return [advisory(warning_codes.STOCK_UNKNOWN, message)] if levels else []


def unread(stock: StockAnswer) -> list[ToolWarning]:
    """Return a warning about variants whose stock could not be read."""
    if stock.reason is None or not stock.unknown:
        return []
    variants = so_many(len(stock.unknown), "variant")
    message = f"the stock of {variants} is unknown, not zero: Katana could not be asked ({stock.reason})"
    return [advisory(warning_codes.STOCK_UNKNOWN, message)]
