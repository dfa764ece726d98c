"""SKUs and variant ids, mixed as people give them, resolved to variants in the order given."""

from collections.abc import Sequence
from dataclasses import dataclass

from cache_core.protocol import Stored
from katana_mcp.names import service_variants
from katana_mcp.near import near_keys, same_key
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, fitting
from katana_mcp.tools.warnings import ToolWarning

_EXPLAINED = 20
"""Unknown SKUs of one call for which near misses are looked up."""
VARIANT_ENTITIES = ("variant", "product", "material", "service")


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
    """Return the variants for SKUs (texts) and variant ids (integers).

    A SKU that several live variants have gives all of them, with a warning; a text of digits that is no SKU is
    taken as an id, because some hosts send numbers as texts.
    """
    await services.fresh.read_missing("variant", [each for each in asked if isinstance(each, int)])
    await services.fresh.read_missing_keys("variant", [each for each in asked if isinstance(each, str)])
    result = Resolved([], [], [])
    taken: set[int | str] = set()
    for index, each in enumerate(dict.fromkeys(asked)):
        rows = await _variants(each, services)
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


async def _variants(asked: str | int, services: Services) -> list[Stored]:
    if isinstance(asked, str):
        match = await services.cache.find_by_key("variant", asked)
        if match.ambiguous:
            return list((await services.cache.get_many("variant", match.ambiguous)).rows)
        found = [match.row] if match.row is not None else await service_variants(services.cache, "sku", [asked])
        found = found or await same_key(services, "variant", asked)
        if found:
            return found
    number = int(asked) if isinstance(asked, int) or (asked.isdecimal() and len(asked) < 11) else None
    if number is None:
        return []
    stored = list((await services.cache.get_many("variant", [number])).rows)
    return stored or await service_variants(services.cache, "id", [number])


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
