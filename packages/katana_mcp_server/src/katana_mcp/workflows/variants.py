"""SKUs and variant ids, mixed as people give them, resolved to variants in the order given."""

from collections.abc import Sequence
from dataclasses import dataclass

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import Selection, Stored
from katana_mcp.names import service_variants
from katana_mcp.near import near_keys, same_key
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, fitting
from katana_mcp.tools.warnings import ToolWarning

_EXPLAINED = 20
"""Unknown SKUs of one call for which near misses are looked up."""
_MOST = 10_000
_MAX_DIGITS = 11


class NotFound(Answer):
    """A SKU or variant id that nothing has."""

    asked: str | int
    did_you_mean: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """Variants in the order asked, what was not found, and what should be known about the matches."""

    variants: list[Stored]
    not_found: list[NotFound]
    warnings: list[ToolWarning]


@dataclass(frozen=True, slots=True)
class Bounded[A: Answer]:
    """The rows that fit into one answer, and how to get the others."""

    rows: list[A]
    warnings: list[ToolWarning]
    next_actions: list[str]


def bounded[A: Answer](tool: str, rows: list[A]) -> Bounded[A]:
    """Return the first rows that fit into one answer of the tool."""
    kept = fitting(rows)
    rest = [getattr(row, "variant_id", None) for row in rows[len(kept) :]]
    if not rest:
        return Bounded(kept, [], [])
    message = f"{len(kept)} of {len(rows)} variants fit into one answer; ask again for the others"
    warning = ToolWarning(severity="info", code=warning_codes.TRUNCATED_RESULT, message=message)
    return Bounded(kept, [warning], [f"{tool}(skus_or_variant_ids={rest})"])


async def resolve(asked: Sequence[str | int], services: Services) -> Resolved:
    """Return the variants for SKUs (texts) and variant ids (integers), found together whatever their number.

    A SKU that several live variants have gives all of them, with a warning; a text of digits that is no SKU is
    taken as an id, because some hosts send numbers as texts.
    """
    await services.fresh.read_missing("variant", [each for each in asked if isinstance(each, int)])
    await services.fresh.read_missing_keys("variant", [each for each in asked if isinstance(each, str)])
    found = await _found(list(dict.fromkeys(asked)), services)
    result = Resolved([], [], [])
    taken: set[int | str] = set()
    for index, each in enumerate(dict.fromkeys(asked)):
        rows = found.get(each, [])
        if not rows:
            result.not_found.append(await _not_found(each, services, near=len(result.not_found) < _EXPLAINED))
        if len(rows) > 1:
            ids = ", ".join(str(row.id) for row in rows)
            result.warnings.append(
                ToolWarning(
                    severity="advisory",
                    code=warning_codes.DUPLICATE_SKU,
                    message=f"{len(rows)} variants have the SKU {each!r}: all are shown, ids {ids}",
                    field_path=f"skus_or_variant_ids[{index}]",
                )
            )
        result.warnings.extend(_gone(each, row, index) for row in rows if row.deleted or row.archived)
        result.variants.extend(row for row in rows if row.id not in taken)
        taken.update(row.id for row in rows)
    return result


async def _found(asked: Sequence[str | int], services: Services) -> dict[str | int, list[Stored]]:
    """Return the variants per SKU or id: by SKU, by SKU but for case and blanks, then by id."""
    texts = [each for each in asked if isinstance(each, str)]
    found: dict[str | int, list[Stored]] = {**await _by_sku(texts, services)}
    for each in texts:
        same = [] if each in found else await same_key(services, "variant", each)
        if same:
            found[each] = same
    numbers = {each: int(each) for each in asked if each not in found and _is_number(each)}
    by_id = await _by_id(list(dict.fromkeys(numbers.values())), services)
    return found | {each: [by_id[number]] for each, number in numbers.items() if number in by_id}


async def _by_sku(skus: Sequence[str], services: Services) -> dict[str, list[Stored]]:
    """Return the variants that have exactly these SKUs: all that are live, else the best of those that are gone."""
    if not skus:
        return {}
    where = (OneOf("sku", tuple(skus)),)
    stored = await services.cache.select("variant", Selection(where, Order("id"), _MOST, visibility=EVERYTHING))
    having: dict[str, list[Stored]] = {}
    for row in stored:
        having.setdefault(str(row.record["sku"]), []).append(row)
    for row in await service_variants(services.cache, "sku", [each for each in skus if each not in having]):
        having.setdefault(str(row.record["sku"]), []).append(row)
    live = {sku: [row for row in rows if not (row.deleted or row.archived)] for sku, rows in having.items()}
    # Live before archived before deleted, then the newest, as `find_by_key` has it.
    return {sku: live[sku] or [max(reversed(rows), key=_standing)] for sku, rows in having.items()}


def _standing(row: Stored) -> tuple[bool, bool]:
    return (not row.deleted, not row.archived)


async def _by_id(ids: Sequence[int], services: Services) -> dict[int | str, Stored]:
    found = await services.cache.get_many("variant", ids)
    sold = await service_variants(services.cache, "id", [each for each in found.missing if isinstance(each, int)])
    return {row.id: row for row in (*found.rows, *sold)}


def _is_number(asked: str | int) -> bool:
    return isinstance(asked, int) or (asked.isdecimal() and len(asked) < _MAX_DIGITS)


def _gone(asked: str | int, row: Stored, index: int) -> ToolWarning:
    state = "deleted" if row.deleted else "archived"
    return ToolWarning(
        severity="advisory",
        code=warning_codes.DELETED_ITEM if row.deleted else warning_codes.ARCHIVED_ITEM,
        message=f"variant {row.id}, asked for as {asked!r}, is {state} in Katana",
        field_path=f"skus_or_variant_ids[{index}]",
    )


async def _not_found(asked: str | int, services: Services, *, near: bool) -> NotFound:
    close = await near_keys(services, "variant", asked) if near and isinstance(asked, str) else []
    return NotFound(asked=asked, did_you_mean=close or None)
