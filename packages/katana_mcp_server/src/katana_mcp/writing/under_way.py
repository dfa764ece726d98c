"""Plans of many steps that are under way: who plans, compares or reads meanwhile sees a record in a state between."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from cache_core.records import RecordId
from katana_mcp.journal.entries import Entry
from katana_mcp.journal.errors import JournalError
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.writing.change import record_lane
from katana_mcp.writing.plan_locks import CONTINUE, lane_names, steps_done

type Kept = Mapping[str, int]
"""By the name of a lane, the entry of the plan of many steps that keeps it."""

NONE_KEPT: Kept = MappingProxyType({})


async def kept_lanes(services: Services) -> Kept:
    """Return the lanes that are kept now; none where the journal cannot be used."""
    try:
        return await services.journal.kept_lanes()
    except JournalError:
        return {}


async def under_way(lanes: Sequence[str], kept: Kept, services: Services) -> str | None:
    """Return that a plan of many steps changes one of these records, with how to see its end; None where none does.

    Args:
        lanes: of the records.
        kept: those that were kept at any time since the records were read.
        services: the journal and the clock.
    """
    key = next((kept[name] for name in lane_names(lanes, services.tenant) if name in kept), None)
    try:
        entry = None if key is None else await services.journal.entry(key)
    except JournalError:
        return None
    return None if entry is None else _in_words(entry, services)


async def states_between(records: Iterable[tuple[str, RecordId]], kept: Kept, services: Services) -> list[ToolWarning]:
    """Return a warning for each plan that changes one of these records, which are then shown between two of its steps.

    Args:
        records: what is shown, each with its cache entity.
        kept: the lanes that were kept when they were read.
        services: the journal and the clock.
    """
    if not kept:
        return []
    found = [await under_way([record_lane(entity, int(key))], kept, services) for entity, key in records]
    return [advisory(warning_codes.PLAN_RUNNING, message) for message in dict.fromkeys(found) if message]


def _in_words(entry: Entry, services: Services) -> str:
    number, other = f"journal entry {entry.id}", f"another plan changes this: {entry.plan.summary}"
    if entry.is_halfway(services.clock.now()):
        return f"{other}; it stopped halfway ({number}): {CONTINUE}"
    if entry.state == "finished":
        return f"{other}; it was applied just now ({number}): ask again"
    return f"{other}; it is being applied ({number}, {steps_done(entry)}): apply its token again to see its end"
