"""The slow audit: finds hard deletions and missing records, a few requests after each sync, going on where it stopped.

Rows are asked for by their ids, so that no page can move; a row that is not given is gone. Missing records show as a
total greater than what is cached, and only then is the collection listed whole. Collections that cannot be asked by
ids are listed whole each time.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from cache_core.conditions import EVERYTHING, Order, Within
from cache_core.protocol import Selection
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec
from cache_core.states import Audit, Checkpoint
from cache_core.sync.counters import Tally
from cache_core.sync.listing import Verdict
from cache_core.sync.quarantine import absent
from cache_core.sync.run import Run
from cache_core.sync.source import PAGE_SIZE, Source, SourcePage, Window
from cache_core.sync.storing import Extra, Store, WriteCounts
from cache_core.sync.suspected_deletions import deleted_among, doubting, due_again, unlisted

AUDIT_EVERY = timedelta(hours=24)
CHECK_EVERY = timedelta(hours=1)
"""How often the totals are compared; one request."""

STEPS_AT_ONCE = 4
"""Steps that follow one sync at most."""

_FRESH = Checkpoint(page=1, total=0, since=None, first=None, newest=None)

type _Change = Callable[[Audit], Audit]


class Audits:
    """Audits entities step by step; each step is one request and one transaction."""

    def __init__(self, source: Source, store: Store) -> None:
        self._source = source
        self._store = store
        self._runs: dict[str, Run] = {}

    async def is_due(self, spec: EntitySpec) -> bool:
        """Return whether an audit is under way or a step towards one is due."""
        state = await self._store.cache.state(spec.name)
        if state.completed_at is None or not spec.watermark:
            return False
        audit = state.audit
        return audit.running or bool(self._due_again(audit)) or self._older(audit.checked_at, CHECK_EVERY)

    async def begin(self, spec: EntitySpec) -> None:
        """Begin an audit now, unless one is under way."""
        await self._note(spec, lambda audit: audit if audit.running else replace(audit, running=True, position=None))

    async def step(self, spec: EntitySpec, tally: Tally) -> bool:
        """Send one request of what is due; return whether more is to be done.

        Raises:
            SourceUnavailable: the source did not answer.
            LeaseLost: another process syncs the entity now.
        """
        audit = (await self._store.cache.state(spec.name)).audit
        if audit.listing is not None:
            return await self._list(spec, audit.listing, tally)
        again = self._due_again(audit)
        if again and spec.fetch_by == "full_list":
            await self._note(spec, lambda old: replace(old, listing=_FRESH))
            return True
        if again:
            await self._ask(spec, self._source.batches(spec, again)[0], audit.position, tally)
            return True
        if audit.running and spec.fetch_by == "list_ids":
            batches = self._source.batches(spec, await self._next_ids(spec, audit.position))
            if batches:
                await self._ask(spec, batches[0], batches[0][-1], tally)
                return True
        return await self._compare(spec, audit, tally)

    async def _next_ids(self, spec: EntitySpec, position: RecordId | None) -> list[RecordId]:
        where = () if position is None else (Within(spec.id_path, low=position),)
        window = Selection(where, Order(spec.id_path), PAGE_SIZE + len(where), 0, EVERYTHING)
        rows = await self._store.cache.select(spec.name, window)
        # The row at the position may be gone.
        return [row.id for row in rows if row.id != position]

    async def _ask(self, spec: EntitySpec, ids: Sequence[RecordId], position: RecordId | None, tally: Tally) -> None:
        """Read rows by their ids: what comes is stored; what does not is gone, or doubted while it may lag."""
        page = await self._source.records(spec, ids)
        tally.requests += 1
        state = await self._store.cache.state(spec.name)
        rows = (await self._store.cache.get_many(spec.name, absent(spec, ids, page))).rows
        gone = deleted_among(rows, state.audit, state.cursor, self._store.clock.now())

        def change(audit: Audit) -> Audit:
            others = [doubt.id for doubt in audit.doubted if doubt.id not in ids]
            left = [row.id for row in rows if row.id not in gone]
            return replace(self._doubting(audit, [*others, *left]), position=position)

        tally.add(await self._keep(spec, page, change, gone))

    async def _compare(self, spec: EntitySpec, audit: Audit, tally: Tally) -> bool:
        """Compare Katana's total with ours: it begins an audit, goes on to the whole listing, or ends the audit."""
        page = await self._source.page(spec, Window(1, 1), None)
        tally.requests += 1
        gap = audit.gap if page.total is None else await self._gap(spec, page.total)
        if audit.running:
            lists = gap > 0 or spec.fetch_by != "list_ids"
            await self._note(spec, lambda old: replace(old, listing=_FRESH) if lists else self._ended(old, gap))
            return lists
        due = gap != audit.gap or self._older(audit.completed_at, AUDIT_EVERY)
        at = self._at()
        await self._note(spec, lambda old: replace(old, checked_at=at, running=due, position=None))
        return due

    async def _list(self, spec: EntitySpec, checkpoint: Checkpoint, tally: Tally) -> bool:
        """Read the next page of the whole listing that looks for what is missing."""
        run = self._runs.pop(spec.name, None)
        if run is None or run.checkpoint != checkpoint:
            # Without the ids of its earlier pages a listing cannot show what is gone.
            begin = checkpoint if spec.fetch_by == "list_ids" else _FRESH
            run = Run(spec, begin, self._store.clock)
        asked = run.requests
        page, judgement = await run.turn(self._source)
        tally.requests += run.requests - asked
        if judgement.verdict is Verdict.NEXT:
            self._runs[spec.name] = run
            tally.add(await self._keep(spec, page, lambda audit: replace(audit, listing=run.checkpoint)))
            return True
        shows = judgement.verdict is Verdict.DONE and not run.resumed
        gone, left = await unlisted(spec, self._store, run) if shows else ([], None)
        tally.add(await self._keep(spec, page, lambda audit: audit, gone))
        gap = await self._gap(spec, run.checkpoint.total)
        await self._note(spec, lambda audit: self._doubting(self._ended(audit, gap), left))
        return False

    def _doubting(self, audit: Audit, ids: Sequence[RecordId] | None) -> Audit:
        return audit if ids is None else doubting(audit, ids, self._store.clock.now())

    async def _gap(self, spec: EntitySpec, total: int) -> int:
        status = await self._store.cache.status(spec.name)
        return total - status.records - status.quarantined

    async def _keep(
        self, spec: EntitySpec, page: SourcePage, change: _Change, gone: Sequence[RecordId] = ()
    ) -> WriteCounts:
        return await self._store.keep(spec, page, Extra(lambda state: replace(state, audit=change(state.audit)), gone))

    async def _note(self, spec: EntitySpec, change: _Change) -> None:
        await self._keep(spec, SourcePage((), None), change)

    def _ended(self, audit: Audit, gap: int) -> Audit:
        at = self._at()
        return Audit(completed_at=at, checked_at=at, doubted=audit.doubted, gap=gap)

    def _due_again(self, audit: Audit) -> list[RecordId]:
        return due_again(audit, self._store.clock.now())

    def _older(self, moment: str | None, than: timedelta) -> bool:
        return moment is None or not timedelta(0) <= self._store.clock.now() - datetime.fromisoformat(moment) < than

    def _at(self) -> str:
        return iso(self._store.clock.now())
