"""SKUs and variant ids, mixed as people give them, resolved to variants in the order given."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from cache_core.protocol import Stored
from katana_mcp.references.display_names import none_yet
from katana_mcp.references.resolve import EXPLAINED, all_listed, named_first, none_at_all, variants_named
from katana_mcp.references.services import Current, Services, as_it_stands, current
from katana_mcp.references.suggestions import near_keys
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import ENVELOPE_BYTES, Answer, size_of
from katana_mcp.tools.outgoing import MAX_ANSWER_BYTES
from katana_mcp.tools.warnings import ToolWarning, advisory, info

_KINDS = ("variant", "service")


async def current_for(
    asked: Sequence[str | int], reads: Iterable[str], small: Iterable[str], services: Services
) -> Current:
    """Return how current variants are that were asked for by SKU or id; they are brought up to date as far as need be.

    While their first listing goes on, Katana is asked for these; where it has all of them, nothing else is waited for.

    Args:
        asked: their SKUs and ids.
        reads: everything that the answer reads.
        small: what of it has few records, and is waited for in any case.
        services: the tenant's services.
    """
    began = services.clock.monotonic()
    if await named_first(asked, services) is not None:
        await services.waited(services.clock.monotonic() - began).fresh.ensure(small)
        return await as_it_stands(services, reads, services.brief(began))
    return await current(services.waited(services.clock.monotonic() - began), reads, ("variant",))


class NotFound(Answer):
    """A SKU or variant id that nothing has."""

    asked: str | int
    did_you_mean: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A variant that was asked for, or what nothing has, and what should be known of the match.

    Attributes:
        asked: the SKU or id.
        variant: None where nothing has it, or where it was found before under another name.
        missing: what to answer where nothing has it.
        unknown: whether it may still come, because a first sync has not ended.
        warnings: of the SKU or id; of several variants that it finds, with the first.
        matches: all variants that have it, with the first, whether they were found before or not.
    """

    asked: str | int
    variant: Stored | None = None
    missing: NotFound | None = None
    unknown: bool = False
    warnings: Sequence[ToolWarning] = ()
    matches: Sequence[Stored] = ()

    @property
    def again(self) -> list[str | int]:
        """How to ask for it again."""
        return [self.variant.id] if self.variant else [self.asked] if self.missing or self.unknown else []


@dataclass(frozen=True, slots=True)
class Resolved:
    """What was found, in the order asked, and whether the account has no variants at all."""

    found: list[Found]
    none: bool = False

    @property
    def variants(self) -> list[Stored]:
        """Each variant once."""
        return [match.variant for match in self.found if match.variant is not None]

    @property
    def not_found(self) -> list[NotFound]:
        """What nothing has."""
        return [match.missing for match in self.found if match.missing is not None]

    @property
    def next_actions(self) -> list[str]:
        """What is to be said of an account without variants."""
        return [none_yet("items")] if self.none else []

    @property
    def unknown(self) -> list[str | int]:
        """What may still come."""
        return [match.asked for match in self.found if match.unknown]

    @property
    def warnings(self) -> list[ToolWarning]:
        """What should be known of the matches."""
        return [warning for match in self.found for warning in match.warnings]


@dataclass(frozen=True, slots=True)
class Bounded[A: Answer]:
    """The part of what was asked that fits into one answer, and how to get the others."""

    rows: list[A]
    not_found: list[NotFound]
    unknown: list[str | int]
    warnings: list[ToolWarning]
    next_actions: list[str]


def bounded[A: Answer](tool: str, rows: list[A], resolved: Resolved) -> Bounded[A]:
    """Return the first of what was asked, with all that is to be said of it, as far as one answer of the tool goes.

    Args:
        tool: for the way to the others.
        rows: of the variants that there is something to say of.
        resolved: what was asked.
    """
    by_id = {getattr(row, "variant_id", None): row for row in rows}
    pairs = [(match, None if match.variant is None else by_id.get(match.variant.id)) for match in resolved.found]
    sizes = [sum(size_of(part) + 1 for part in (row, match.missing, *match.warnings) if part) for match, row in pairs]
    fits = _fitting(sizes, MAX_ANSWER_BYTES - ENVELOPE_BYTES)
    if fits < len(pairs):
        fits = max(1, _fitting(sizes, MAX_ANSWER_BYTES - ENVELOPE_BYTES - _REST_BYTES))
    shown = Resolved(resolved.found[:fits])
    kept = [row for _, row in pairs[:fits] if row is not None]
    cut, actions = _rest(tool, len(kept), len(rows), resolved.found[fits:])
    actions += resolved.next_actions
    return Bounded(kept, shown.not_found, shown.unknown, [*shown.warnings, *cut], actions)


@dataclass(frozen=True, slots=True)
class PageNotes:
    """What is to be said of what was asked, beside rows that are paged: at most half of an answer."""

    not_found: list[NotFound]
    warnings: list[ToolWarning]

    @property
    def parts(self) -> Sequence[Answer | ToolWarning]:
        """All that is said."""
        return [*self.not_found, *self.warnings]


def beside(resolved: Resolved) -> PageNotes:
    """Return what is to be said of the first of what was asked, and of how many others there was no room to say it."""
    noted = [match for match in resolved.found if match.missing is not None or match.warnings]
    sizes = [sum(size_of(part) + 1 for part in (match.missing, *match.warnings) if part) for match in noted]
    fits = _fitting(sizes, MAX_ANSWER_BYTES // 2)
    shown = Resolved(noted[:fits])
    if fits == len(noted):
        return PageNotes(shown.not_found, shown.warnings)
    message = f"{len(noted) - fits} more of those asked were not found or need a remark; ask for fewer at once"
    more = advisory(warning_codes.TRUNCATED_RESULT, message, "skus_or_variant_ids")
    return PageNotes(shown.not_found, [*shown.warnings, more])


_REST_BYTES = 4_000
"""What the names of what is left may take of an answer."""


def _fitting(sizes: Sequence[int], room: int) -> int:
    return sum(1 for end in accumulate(sizes) if end <= room)


def _rest(tool: str, kept: int, rows: int, left: Sequence[Found]) -> tuple[list[ToolWarning], list[str]]:
    again = [name for match in left for name in match.again]
    if not again:
        return [], []
    names = repr(again)
    if len(names.encode()) > _REST_BYTES:
        names = f"the last {len(dict.fromkeys(match.asked for match in left))} of those asked"
    message = f"{kept} of {rows} variants fit into one answer; ask again for the others"
    warning = info(warning_codes.TRUNCATED_RESULT, message)
    return [warning], [f"{tool}(skus_or_variant_ids={names})"]


async def resolve(asked: Sequence[str | int], services: Services) -> Resolved:
    """Return the variants for SKUs (texts) and variant ids (integers), found together whatever their number.

    A SKU that several live variants have gives all of them, with a warning; a text of digits that is no SKU is
    taken as an id, because some hosts send numbers as texts.
    """
    names = list(dict.fromkeys(asked))
    found = await variants_named(names, services)
    cold = len(found) < len(names) and not await all_listed(services, *_KINDS)
    result: list[Found] = []
    taken: set[int | str] = set()
    for index, name in enumerate(names):
        rows = found.get(name, [])
        if cold and not rows:
            result.append(Found(name, unknown=True, warnings=[_unknown(name, index)]))
            continue
        explained = sum(1 for match in result if match.missing is not None)
        missing = None if rows else await _not_found(name, services, near=explained < EXPLAINED)
        warnings = [_deleted_variant(name, row, index) for row in rows if row.deleted or row.archived]
        if missing and explained == EXPLAINED:
            warnings.append(_unexplained(index))
        new: list[Stored | None] = [row for row in rows if row.id not in taken] or [None]
        warnings = [*_shared(name, rows, index), *warnings]
        result.append(Found(name, new[0], missing, warnings=warnings, matches=rows))
        result += [Found(name, row) for row in new[1:]]
        taken.update(row.id for row in rows)
    return Resolved(result, none=not found and await none_at_all(services, *_KINDS))


def _shared(asked: str | int, rows: Sequence[Stored], index: int) -> list[ToolWarning]:
    if len(rows) < 2:
        return []
    ids = ", ".join(str(row.id) for row in rows[:EXPLAINED]) + (" and more" if len(rows) > EXPLAINED else "")
    message = f"{len(rows)} variants have the SKU {asked!r}: all are shown, ids {ids}"
    place = f"skus_or_variant_ids[{index}]"
    return [advisory(warning_codes.DUPLICATE_SKU, message, place)]


def _deleted_variant(asked: str | int, row: Stored, index: int) -> ToolWarning:
    state = "deleted" if row.deleted else "archived"
    return advisory(
        warning_codes.DELETED_ITEM if row.deleted else warning_codes.ARCHIVED_ITEM,
        f"variant {row.id}, asked for as {asked!r}, is {state} in Katana",
        f"skus_or_variant_ids[{index}]",
    )


def _unknown(asked: str | int, index: int) -> ToolWarning:
    message = f"{asked!r} is unknown, not missing: the first sync of variants has not ended; ask again in a moment"
    place = f"skus_or_variant_ids[{index}]"
    return advisory(warning_codes.COLD_CACHE, message, place)


def _unexplained(index: int) -> ToolWarning:
    message = f"more than {EXPLAINED} SKUs or ids are unknown: from here on no like ones are looked for; ask for fewer"
    return ToolWarning(severity="info", message=message, field_path=f"skus_or_variant_ids[{index}]")


async def _not_found(asked: str | int, services: Services, *, near: bool) -> NotFound:
    close = await near_keys(services, "variant", asked) if near and isinstance(asked, str) else []
    return NotFound(asked=asked, did_you_mean=close or None)
