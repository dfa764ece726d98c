"""What a plan names in words, found for it: locations, suppliers, variants; each with its near misses."""

from collections.abc import Sequence
from dataclasses import dataclass

from cache_core.protocol import Stored
from katana_mcp.lookup import having, variants_named
from katana_mcp.names import look_up, text, titled
from katana_mcp.near import did_you_mean, near_keys
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A record that was named; `name` is what people call it."""

    id: int
    name: str | None = None
    sku: str | None = None
    unit: str | None = None
    archived: bool = False
    deleted: bool = False

    @property
    def called(self) -> str:
        """What people call it, as well as it is known."""
        return self.sku or self.name or str(self.id)


@dataclass(frozen=True, slots=True)
class Named:
    """What was asked for, what has that id, name or SKU, and what it may have been meant for."""

    asked: int | str
    found: tuple[Known, ...] = ()
    near: tuple[str, ...] = ()

    @property
    def one(self) -> Known | None:
        """The record, if exactly one was meant and it is not deleted."""
        (first, *others) = self.found or (None,)
        return None if first is None or others or first.deleted else first


async def named(services: Services, entity: str, asked: int | str) -> Named:
    """Find a record by id or exact name."""
    rows = await having(asked, entity, services)
    found = [
        Known(id=row.id, name=text(row.record, "name"), archived=row.archived, deleted=row.deleted)
        for row in rows
        if isinstance(row.id, int)
    ]
    return Named(asked, tuple(found), await _near(services, entity, asked, bool(found)))


async def variants(services: Services, asked: Sequence[int | str]) -> tuple[Named, ...]:
    """Find variants by SKU or id, with the name and the unit of each; in the order asked."""
    rows = await variants_named(asked, services)
    at_hand = [("variant", row) for each in rows.values() for row in each]
    names = await look_up(services.cache, {"variant": [row.id for _, row in at_hand]}, at_hand)

    def known(row: Stored) -> Known:
        item = names.item(row.record)
        return Known(
            id=whole(row.record, "id") or 0,
            name=names.display(row.record),
            sku=text(row.record, "sku"),
            unit=text(item, "uom"),
            archived=row.archived,
            deleted=row.deleted,
        )

    return tuple(
        [
            Named(
                each,
                tuple(known(row) for row in rows.get(each, ())),
                await _near(services, "variant", each, each in rows),
            )
            for each in asked
        ]
    )


def unnamed(entity: str, given: Named, path: str) -> list[ToolWarning]:
    """Return what is wrong with a name: nothing has it, several have it, or what has it is deleted or archived."""
    title, asked = titled(entity), given.asked
    if len(given.found) > 1:
        ids = ", ".join(f"{each.id} ({each.called})" for each in given.found[:5])
        told = f"{path}: {len(given.found)} {title}s are called {asked!r}; name one by id: {ids}"
        return [blocking(warning_codes.AMBIGUOUS_NAME, told, path)]
    if not given.found:
        told = f"{path}: no {title} is {asked!r}{did_you_mean(given.near)}"
        return [blocking(warning_codes.NOT_FOUND, told, path)]
    (known,) = given.found
    if known.deleted:
        return [blocking(warning_codes.NOT_FOUND, f"{path}: {title} {known.called} is deleted in Katana", path)]
    if known.archived:
        told = f"{path}: {title} {known.called} is archived in Katana"
        return [ToolWarning(severity="advisory", code=warning_codes.ARCHIVED_ITEM, message=told, field_path=path)]
    return []


async def _near(services: Services, entity: str, asked: int | str, found: bool) -> tuple[str, ...]:
    return () if found or isinstance(asked, int) else tuple(await near_keys(services, entity, asked))
