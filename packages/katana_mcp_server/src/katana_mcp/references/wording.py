"""What a plan names: locations, suppliers, variants, found with their near misses; the number of a new document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cache_core.conditions import OneOf
from cache_core.protocol import Selection, Stored
from cache_core.records import RecordId
from katana_mcp.journal.errors import JournalError
from katana_mcp.references.display_names import Names, look_up, service_variants, text, titled
from katana_mcp.references.item_codes import CUSTOM_FIELD, ID, NAME, SKU, Owner, Owners, called_by
from katana_mcp.references.namesakes import details_of, told_apart
from katana_mcp.references.numbers import Numbered, next_number
from katana_mcp.references.resolve import EXPLAINED, all_listed, live_with_key, resolved, variants_named
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import did_you_mean, near_keys, near_rows
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking, info
from katana_mcp.values import get_int

_FEW = 4
"""Records of a kind whose names are all told when nothing has the one that was asked for."""

_COUNTED_ON = 20
"""Numbers that are tried after one that turns out to be in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRecord:
    """A record that was named; `name` is what people call it, `is_shared` says that others have its SKU.

    `details` may tell it from others of its name.
    """

    id: int
    name: str | None = None
    sku: str | None = None
    unit: str | None = None
    archived: bool = False
    deleted: bool = False
    is_shared: bool = False
    details: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """What people call it, as well as it is known; an SKU that others have too with name and id."""
        if self.sku and self.is_shared:
            return f"{self.sku} ({self.name or 'no name'}, variant {self.id})"
        return self.sku or self.name or str(self.id)


@dataclass(frozen=True, slots=True)
class Named:
    """What was asked for, what has that id, name or SKU, and what it may have been meant for.

    Where not all of its kind are listed yet, what is not found is unknown, not missing. Of variants it is known by
    what each that was found is called so, which others are called so by anything but their SKU, what is like it, and
    the item of the one whose name it is.
    """

    asked: int | str
    found: tuple[NamedRecord, ...] = ()
    near: tuple[str, ...] = ()
    listed: bool = True
    by: tuple[str, ...] = ()
    others: tuple[tuple[NamedRecord, str], ...] = ()
    like: tuple[NamedRecord, ...] = ()
    item: tuple[str, int] | None = None

    @property
    def one(self) -> NamedRecord | None:
        """The record, if exactly one was meant and it is not deleted."""
        (first, *others) = self.found or (None,)
        return None if first is None or others or first.deleted else first


async def named(services: Services, entity: str, asked: int | str) -> Named:
    """Find a record by id or exact name; a document is named by its number."""
    rows = (await resolved(services, [(entity, asked)]))[entity, asked]
    key = services.syncer.specs[entity].key_path or "name"
    found = [
        NamedRecord(
            id=row.id,
            name=text(row.record, key),
            archived=row.archived,
            deleted=row.deleted,
            details=details_of(entity, row.record),
        )
        for row in rows
        if isinstance(row.id, int)
    ]
    listed = await all_listed(services, entity)
    return Named(asked, tuple(found), await _near(services, entity, asked, bool(found)), listed)


async def variants(services: Services, asked: Sequence[int | str], owners: Owners | None = None) -> tuple[Named, ...]:
    """Find variants with the name and the unit of each, in the order asked.

    They are named by SKU or id; a text that is no live variant's SKU also by what else its owners are called, where
    those are given, and one of digits then by its id as well: any second variant that it may be makes it uncertain.
    """
    others = owners or {}
    rows = await variants_named(asked, services, others)
    meant = {query: _meant(query, rows.get(query, ()), others.get(query, ())) for query in asked}
    unknown = [query for query, (found, _) in meant.items() if isinstance(query, str) and not found]
    like: dict[int | str, list[Stored]] = {
        query: await near_rows(services, "variant", query) for query in unknown[:EXPLAINED]
    }
    called = await _called(
        [*(row for pair in meant.values() for some in pair for row, _ in some), *_all(like)], services
    )
    listed = await all_listed(services, "variant")

    def to_named(query: int | str) -> Named:
        found, beside = meant[query]
        near = [called[row.id] for row in like.get(query, ())][:_NEAREST]
        return Named(
            query,
            tuple(called[row.id] for row, _ in found),
            tuple(dict.fromkeys(name for record in near if (name := record.sku or record.name))),
            listed,
            by=tuple(by for _, by in found),
            others=tuple((called[row.id], by) for row, by in beside),
            like=tuple(near),
            item=Names().parent(found[0][0].record) if [by for _, by in found] == [NAME] else None,
        )

    return tuple(to_named(query) for query in asked)


_NEAREST = 3
type _Matches = list[tuple[Stored, str]]


def _all(rows: Mapping[int | str, Sequence[Stored]]) -> list[Stored]:
    return [row for some in rows.values() for row in some]


def _meant(asked: int | str, own: Sequence[Stored], owners: Sequence[Owner]) -> tuple[_Matches, _Matches]:
    """Return the variants that an id or a text may mean, and those that it does not mean though they are called so.

    A live variant's SKU, or an id, means nothing else.
    """
    named = [(row, called_by(asked, row.record)) for row in own]
    besides = [(owner.row, owner.by) for owner in owners if owner.id not in {row.id for row in own}]
    if not owners or any(by == SKU and not (row.deleted or row.archived) for row, by in named):
        return named, besides
    there = [(row, called_by(asked, row.record, owners)) for row in own if not row.deleted]
    return [*there, *besides], []


async def _called(found: Sequence[Stored], services: Services) -> dict[RecordId, NamedRecord]:
    """Return variants as they are called, by their ids."""
    names = await look_up(services.cache, {"variant": [row.id for row in found]}, [("variant", row) for row in found])
    shared = await _shared_skus(found, services)

    def to_named_record(row: Stored) -> NamedRecord:
        item = names.item(row.record)
        return NamedRecord(
            id=get_int(row.record, "id") or 0,
            name=names.display(row.record),
            sku=text(row.record, "sku"),
            unit=text(item, "uom"),
            archived=row.archived,
            deleted=row.deleted,
            is_shared=row.record.get("sku") in shared,
            details=details_of("variant", row.record),
        )

    return {row.id: to_named_record(row) for row in found}


async def _shared_skus(found: Sequence[Stored], services: Services) -> frozenset[str]:
    """Return the SKUs of these variants that others have too, live ones or others of these."""
    skus = list(dict.fromkeys(sku for row in found if (sku := text(row.record, "sku"))))
    having: dict[str, set[object]] = {}
    live = await services.cache.select("variant", Selection((OneOf("sku", tuple(skus)),), limit=_MOST)) if skus else ()
    for row in (*found, *live, *await service_variants(services.cache, "sku", skus)):
        having.setdefault(str(row.record.get("sku")), set()).add(row.id)
    return frozenset(sku for sku in skus if len(having[sku]) > 1)


_MOST = 10_000


def unnamed(entity: str, given: Named, path: str) -> list[ToolWarning]:
    """Return what is wrong with a name: nothing has it, several have it, or what has it is deleted or archived."""
    title, asked = titled(entity), given.asked
    if len(given.found) > 1:
        shown = given.found[:5]
        called = told_apart([(candidate.name or candidate.called, candidate.details) for candidate in shown])
        ids = ", ".join(
            f"{candidate.id} ({name}{_by(given, nr)})"
            for nr, (candidate, name) in enumerate(zip(shown, called, strict=True))
        )
        message = f"{path}: {len(given.found)} {title}s {_share(given)} {asked!r}; give the id of one: {ids}"
        return [blocking(warning_codes.AMBIGUOUS_NAME, message, path)]
    if not given.found and not given.listed:
        message = f"{path}: the first sync of {title}s is not finished, so it is not known yet if {asked!r} exists"
        return [blocking(warning_codes.COLD_CACHE, message, path)]
    if not given.found:
        message = f"{path}: no {title} {asked!r} was found{did_you_mean(given.near)}"
        return [blocking(warning_codes.NOT_FOUND, message, path)]
    (record,) = given.found
    if record.deleted:
        return [blocking(warning_codes.NOT_FOUND, f"{path}: {title} {record.called} is deleted in Katana", path)]
    if record.archived:
        message = f"{path}: {title} {record.called} is archived in Katana"
        return [advisory(warning_codes.ARCHIVED_ITEM, message, path)]
    return []


def understood(given: Sequence[tuple[str, Named]]) -> Iterator[ToolWarning]:
    """Yield which arguments were taken by anything but SKU, id or key, and of which SKU others are called so too.

    Nothing of what records say is in it: it is told by ids.

    Args:
        given: what was named, by the path of its argument.
    """
    by: dict[str, list[str]] = {}
    for path, reference in given:
        if reference.one is None:
            continue
        how = next(iter(reference.by), SKU)
        if how not in {SKU, ID} or (how == ID and isinstance(reference.asked, str)):
            by.setdefault(_kind(how), []).append(f"{path} {reference.asked!r} is variant {reference.one.id}")
        for other, what in reference.others:
            message = f"{path}: {reference.asked!r} is the SKU of variant {reference.one.id}, which was used"
            also = f"variant {other.id} has it as its {_kind(what)}"
            yield advisory(warning_codes.MATCHED_BY_CODE, f"{message}; {also}", path)
    for how, said in by.items():
        more = f", and {len(said) - _LISTED} more" if len(said) > _LISTED else ""
        yield info(warning_codes.MATCHED_BY_CODE, f"understood by their {how}: {', '.join(said[:_LISTED])}{more}")


_LISTED = 10


def _by(given: Named, place: int) -> str:
    """Return what one of several is called so by, where that is not the same of all."""
    return f", by its {_kind(given.by[place])}" if len({*given.by}) > 1 else ""


def _share(given: Named) -> str:
    """Return what several have in common, where it is the same of all."""
    kinds = {_kind(by) for by in given.by} or {NAME}
    return f"have the {kinds.pop()}" if len(kinds) == 1 else "are called"


def _kind(by: str) -> str:
    """Return what something is called by without the label that an account gave it."""
    return CUSTOM_FIELD if by.startswith(CUSTOM_FIELD) else by


async def _near(services: Services, entity: str, asked: int | str, found: bool) -> tuple[str, ...]:
    """Return names that may have been meant; where there are few, and none is like it, all of them."""
    if found or isinstance(asked, int):
        return ()
    near = await near_keys(services, entity, asked)
    few = () if near else await services.cache.select(entity, Selection(limit=_FEW + 1))
    return tuple(near or (name for row in few if (name := text(row.record, "name")) and len(few) <= _FEW))


async def given_or_next(services: Services, entity: str, given: str | None, name: str, prefix: str) -> Numbered:
    """Return the number that was given, else the next free one that no unanswered request may have used.

    Args:
        services: the tenant's services.
        entity: the cache entity.
        given: by the caller.
        name: of the field of a record that holds it.
        prefix: of the first one.

    Raises:
        Refused: Katana does not say whether it is in use.
    """
    if given is not None:
        return Numbered(number=given, taken=await live_with_key(services, entity, given))
    stored = await services.cache.select(entity, Selection(limit=200))
    called = next_number([used_number for row in stored if (used_number := text(row.record, name))], prefix)
    if not await all_listed(services, entity):
        return Numbered(number=called, is_counted=False)
    doubted = await _in_doubt(services, entity, name)
    taken: tuple[int, ...] = ()
    for _ in range(_COUNTED_ON):
        while called in doubted:
            called = next_number([called], prefix)
        taken = await live_with_key(services, entity, called)
        if not taken:
            break
        called = next_number([called], prefix)
    return Numbered(number=called, taken=taken, is_open=True)


async def _in_doubt(services: Services, entity: str, name: str) -> frozenset[str]:
    try:
        return await services.journal.numbers_in_doubt(entity, name)
    except JournalError:
        return frozenset()  # without a journal nothing can be applied, which the preview says


def number_checks(entity: str, path: str, given: str | None, numbered: Numbered) -> list[ToolWarning]:
    """Return what is to be said of the number of a new document; `path` is the argument that gives it."""
    called, taken = numbered.number, numbered.taken
    if not numbered.is_counted:
        message = (
            f"the first sync of {titled(entity)}s is not finished, so the next free number is not known; give a number"
        )
        return [blocking(warning_codes.COLD_CACHE, message, path)]
    if given is not None:
        return duplicates(entity, path, called, taken)
    if taken:
        message = f"no free number was found up to {called}, which is also in use; give a number"
        return [blocking(warning_codes.DUPLICATE_ORDER_NUMBER, message, path)]
    message = f"no {path} was given: the next free number is used when the plan is applied, now {called}"
    return [info(warning_codes.DEFAULT_NUMBER, message)]


def duplicates(entity: str, path: str, called: str, taken: Sequence[int]) -> list[ToolWarning]:
    """Return that other documents have a number."""
    if not taken:
        return []
    what, have = (titled(entity), "has") if len(taken) == 1 else (f"{titled(entity)}s", "have")
    message = f"{what} {', '.join(map(str, taken[:5]))} {have} the number {called} too"
    return [advisory(warning_codes.DUPLICATE_ORDER_NUMBER, message, path)]
