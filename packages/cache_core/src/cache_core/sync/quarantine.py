"""Another try at each sync for quarantined records, and for those with a field that could not be read.

What can be read by now is healed without a new version.
"""

from collections.abc import Sequence

from cache_core.protocol import Quarantined
from cache_core.records import RecordId
from cache_core.spec import EntitySpec
from cache_core.sync.counters import Tally
from cache_core.sync.source import PAGE_SIZE, Source, SourcePage
from cache_core.sync.storing import Extra, Store
from cache_core.sync.unread import to_read_again

_ONE_BY_ONE = 5
_LISTED = 1_000


async def retry(spec: EntitySpec, turn: int, means: tuple[Source, Store], tally: Tally) -> None:
    """Read such records again: 250 by as few requests as name them, or 5 quarantined ones one by one; then the next.

    Raises:
        SourceUnavailable: the source did not answer.
    """
    source, store = means
    if spec.fetch_by == "full_list":
        return
    poison = await store.cache.quarantined(spec.name, _LISTED)
    mine = [poisoned for poisoned in poison if poisoned.id is not None and not _is_child(spec, poisoned.id)]
    ids = _turn(mine, turn, PAGE_SIZE if _at_once(spec) else _ONE_BY_ONE)
    if _at_once(spec):
        unread = to_read_again(await store.cache.state(spec.name), PAGE_SIZE)
        ids = list(dict.fromkeys([*ids, *unread]))[:PAGE_SIZE]
    for batch in source.batches(spec, ids):
        page = await source.records(spec, batch)
        tally.requests += 1 if _at_once(spec) else len(batch)
        tally.add(await store.keep(spec, page, Extra(lambda state: state, absent(spec, batch, page))))


def absent(spec: EntitySpec, ids: Sequence[RecordId], page: SourcePage) -> list[RecordId]:
    """Return the ids that an answer proves to be gone: nothing for an answer that may be short."""
    if page.total is None or page.size < page.total:
        return []
    came = {*map(spec.id_of, page.records), *(invalid_value.id for invalid_value in page.invalid)}
    return [] if None in came else [record_id for record_id in ids if record_id not in came]


def _is_child(spec: EntitySpec, name: RecordId) -> bool:
    """Return whether a name in quarantine is that of a child, which its feed alone brings again."""
    return isinstance(name, str) and name.startswith(tuple(f"{feed.collection} " for feed in spec.feeds))


def _at_once(spec: EntitySpec) -> bool:
    return spec.fetch_by == "list_ids"


def _turn(poison: list[Quarantined], turn: int, count: int) -> list[RecordId]:
    """Return the ids whose turn it is, so that none waits for ever behind others."""
    ids = sorted((poisoned.id for poisoned in poison if poisoned.id is not None), key=str)
    start = turn * count % max(1, len(ids)) if len(ids) > count else 0
    return (ids + ids)[start : start + min(count, len(ids))]
