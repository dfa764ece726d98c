"""Everything that a tool needs, handed to it per call: no tenant, key or cache lives in module state."""

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from cache_core.clock import Clock
from cache_core.protocol import CacheBackend
from cache_core.records import iso
from cache_core.states import UnreadField
from cache_core.sync import Freshness, FreshReads, Progress, StockReads, Syncer
from cache_core.sync.patience import OnDue
from cache_core.sync.progress import OnProgress
from katana_client import KatanaClient
from katana_mcp.journal.journal import Journal
from katana_mcp.references.code_shapes import Codes
from katana_mcp.references.live_lookups import CallLookups
from katana_mcp.references.page_ends import PageEnds
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Envelope, Stale
from katana_mcp.tools.asking import NO_CONFIRMER, Confirmer
from katana_mcp.tools.days import IN_UTC, Days
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking


@dataclass(frozen=True, slots=True)
class RebuiltEntity:
    """What a rebuild did for an entity: records held before and now, those that could not be kept, requests."""

    entity: str
    before: int
    records: int
    quarantined: int
    requests: int


class Rebuilder(Protocol):
    """Fetches a tenant's cache anew beside the one that is read, and swaps."""

    async def rebuild(self, entities: Sequence[str], tell: OnProgress) -> tuple[RebuiltEntity, ...]:
        """Fetch these entities anew, all where none is named; `tell` is told how far it is.

        Raises:
            Refused: there is no such entity, another rebuild is under way, or it could not be completed.
        """
        ...


def _untold(progress: Progress) -> None:
    del progress


def _unnoted(message: str) -> None:
    del message


def _unexpected(due: Sequence[str], first: Sequence[str]) -> None:
    del due, first


def _answering() -> str | None:
    return None


def _unawaited(entities: Collection[str]) -> AbstractContextManager[None]:
    del entities
    return nullcontext()


_NOTHING: Mapping[str, Sequence[int]] = MappingProxyType({})
AT_ONCE = 0.01
"""Seconds below which nothing was waited for."""
_BRIEF = 0.8
"""Seconds that an answer waits for what would only make it newer."""


_written = lru_cache(maxsize=64)(iso)
"""The rows of an answer are held against the same moment."""


class Services(NamedTuple):
    """One tenant's services: a named tuple, because each call makes some of its own, and that of 30 fields.

    Attributes:
        cache: the routed cache.
        syncer: brings entities up to date.
        fresh: asked before each read.
        stock: stock levels on demand.
        lookups: asked before a name is denied.
        codes: what the account's numbers and codes look like.
        rebuilder: fetches the cache anew.
        client: sends what was planned and confirmed.
        journal: of what was planned, and what became of it.
        tenant: the name of the account.
        clock: all time comes from here.
        days: of the factory.
        day: the first moment of the day on which this call began; None where it has nothing to do with days.
        sandbox: whether the data is invented.
        web_base_url: Katana's web app, for deep links.
        pages: where pages ended that were answered.
        notices: what went wrong at the start without stopping it, one sentence each.
        directory: where the cache is kept; None in memory.
        read_only: whether nothing is ever written to Katana.
        most_lines: that one plan may hold.
        most_writes: that one principal may send in a minute.
        must_confirm: whether nothing is written without a person's yes.
        principal: the name of who calls.
        person: asked before anything is written.
        tell: told how far the work of this call is.
        note: told what this call waits for.
        on_due: told which entities this call waits for, before it does.
        until: when a plan of this call stops waiting, by the monotonic clock; None for a while from its beginning.
        anew: single records that the next plan needs as they are in Katana now, their ids by cache entity.
        read_at: when this call read single records that several of its plans may need; None where each reads its own.
        keys_asked: business keys that Katana was asked for, by cache entity, which the plans of this call share as they
            are all made before any is applied; None where each asks itself.
        awaited: lets first listings be waited for.
        silence: how Katana does not answer just now, as a verb; None while it does.
    """

    cache: CacheBackend
    syncer: Syncer
    fresh: FreshReads
    stock: StockReads
    lookups: CallLookups
    codes: Codes
    rebuilder: Rebuilder
    client: KatanaClient
    journal: Journal
    tenant: str
    clock: Clock
    sandbox: bool
    web_base_url: str
    pages: PageEnds
    days: Days = IN_UTC
    day: datetime | None = None
    notices: tuple[str, ...] = ()
    directory: Path | None = None
    read_only: bool = False
    most_lines: int = 200
    most_writes: int = 30
    must_confirm: bool = False
    principal: str = "local"
    person: Confirmer = NO_CONFIRMER
    tell: OnProgress = _untold
    note: Callable[[str], None] = _unnoted
    on_due: OnDue = _unexpected
    until: float | None = None
    anew: Mapping[str, Sequence[int]] = _NOTHING
    read_at: dict[tuple[str, int], float] | None = None
    keys_asked: set[tuple[str, str]] | None = None
    awaited: Callable[[Collection[str]], AbstractContextManager[None]] = _unawaited
    silence: Callable[[], str | None] = _answering

    def today(self) -> datetime:
        """Return the first moment of the factory's day: the same one for a whole call."""
        return self.day or self.days.today(self.clock.now())

    def midnight(self) -> str:
        """Return the first moment of the factory's day as Katana writes it: what is earlier has passed."""
        return _written(self.today())

    def url(self, path: str) -> str | None:
        """Return a link into Katana's web app, `/salesorder/7`; None in the sandbox, whose records are not there."""
        return None if self.sandbox else f"{self.web_base_url}{path}"

    def brief(self, began: float) -> float:
        """Return what is left of the moment that a call which began then waits for what it can do without."""
        return max(0.0, _BRIEF - (self.clock.monotonic() - began))

    def waited(self, seconds: float) -> "Services":
        """Return the services of a call that has waited for Katana so long already."""
        if seconds < AT_ONCE:
            return self
        return self._replace(fresh=self.fresh.after(seconds))


class TenantDoor(Protocol):
    """Where tools and resources get the services of their tenant from, per call."""

    async def services(self) -> Services:
        """Return the services, opening them first if need be."""
        ...

    def wake(self, entities: Collection[str]) -> None:
        """Keep these entities fresh from now on where the settings say so, until nobody has called for long."""
        ...

    async def recover(self) -> None:
        """Close a damaged cache, so that the next call sets it aside and begins anew."""
        ...

    async def close(self) -> None:
        """Release everything."""
        ...


@dataclass(frozen=True, slots=True)
class Current:
    """How current an answer is: the keys of the envelope that say so, and what Katana could not be asked for."""

    as_of: str | None
    stale: Stale | None
    warming: str | None
    source: str | None
    warnings: list[ToolWarning]
    lookups: CallLookups | None = None
    unread_fields: Mapping[str, tuple[UnreadField, ...]] = field(default_factory=dict[str, tuple[UnreadField, ...]])
    """What could not be read of all records, by cache entity."""

    @property
    def staleness(self) -> Stale | None:
        """By how much the rows are older than they should be: by any, where what they lack could not be asked for."""
        unasked = self.unasked
        if self.stale is not None or unasked is None or self.as_of is None or self.lookups is None:
            return self.stale
        return Stale(age_seconds=age_seconds(self.lookups.account.clock, self.as_of), reason=unasked)

    @property
    def unasked(self) -> str | None:
        """What Katana was not asked for of what the call names, and why, in one text."""
        return None if self.lookups is None else "; ".join(self.lookups.remarks()) or None

    def answer[A: Envelope](self, model: type[A], *warnings: ToolWarning, **fields: object) -> A:
        """Return an answer of these fields that says how current it is, with further warnings added."""
        said = [*self.warnings, *warnings]
        if self.unasked is not None and not any(self.unasked in warning.message for warning in said):
            is_silent = self.lookups is not None and self.lookups.unasked
            code = warning_codes.KATANA_UNAVAILABLE if is_silent else warning_codes.NOT_FOUND
            said.append(advisory(code, f"{self.unasked}; what is not found may be new"))
        return model.model_validate({**self._as_payload(), "warnings": said, **fields})

    @contextmanager
    def refusals(self) -> Generator[None]:
        """Have a refusal of the block say how current the rows are that it was judged by."""
        try:
            yield
        except Refused as refusal:
            warnings = [self.judged(warning) for warning in refusal.warnings]
            payload = self.answer(Envelope).model_dump(mode="json", exclude_none=True, include=set(self._as_payload()))
            raise Refused(*warnings, envelope=payload) from None

    def _as_payload(self) -> dict[str, object]:
        return {"as_of": self.as_of, "stale": self.staleness, "warming": self.warming, "source": self.source}

    def judged(self, warning: ToolWarning) -> ToolWarning:
        """Return the warning, with what old, missing or unasked rows mean for a blocking "not found"."""
        if warning.code != warning_codes.NOT_FOUND or warning.severity != "blocking":
            return warning
        code, message = warning_codes.NOT_FOUND, warning.message
        if self.warming is not None:
            code = warning_codes.COLD_CACHE
            message += f" among the records cached so far ({self.warming}); ask again in a moment"
        elif self.staleness is not None:
            message += f"; checked against cached data {self.staleness.age_seconds} s old: {self.staleness.reason}"
            if self.stale is not None and self.unasked is not None:
                message += f"; {self.unasked}"
        unread = [remark.message for remark in self.warnings if remark.code == warning_codes.UNREAD_RECORDS]
        return blocking(code, "; ".join([message, *unread]), warning.field_path)


async def current(
    services: Services, entities: Iterable[str], main: Iterable[str], without: Collection[str] = ()
) -> Current:
    """Bring the entities up to date within bounds and say how current they are.

    Args:
        services: the tenant's services.
        entities: everything that the answer reads.
        main: the entities that the answer is about; without any row of theirs there is nothing to answer.
        without: entities that are not waited for, since all that is needed of them was read by itself.

    Raises:
        Refused: Katana cannot be reached and no main entity has rows to answer from.
    """
    freshness = await services.fresh.ensure(entities, on_due=services.on_due, without=without)
    about = [freshness[name] for name in main]
    silent = _silent(freshness.values())
    for status in about:
        failed = status if status.failed else silent
        if status.warming and failed is not None and not (await services.cache.status(status.entity)).records:
            raise Refused(
                blocking(
                    warning_codes.KATANA_UNAVAILABLE,
                    f"no {status.entity} records are cached yet and Katana could not be asked: {failed.reason}",
                )
            )
    unread = [message for status in about if status.quarantined and (message := await _unread(services, status.entity))]
    return _current(services, freshness, about, unread)


async def as_it_stands(services: Services, entities: Iterable[str], wait: float = 0) -> Current:
    """Say how current the rows of these entities are that were just read, waiting at most so long for Katana again."""
    freshness = await services.fresh.ensure(entities, wait=wait)
    return _current(services, freshness, list(freshness.values()), [])


def _silent(freshness: Collection[Freshness]) -> Freshness | None:
    """Return an entity that failed where Katana gives nothing of any: what waits its turn would fail likewise."""
    if any(status.done or not status.stale for status in freshness):
        return None
    return next((status for status in freshness if status.failed), None)


async def _unread(services: Services, entity: str) -> str:
    """Say which records are in Katana though no answer holds them, or nothing."""
    found = await services.cache.quarantined(entity, _NAMED + 1)
    ids = ", ".join("without an id" if record.id is None else str(record.id) for record in found[:_NAMED])
    more = " and more" if len(found) > _NAMED else ""
    return f"{entity} {ids}{more}" if found else ""


_NAMED = 5


def _current(
    services: Services, freshness: Mapping[str, Freshness], about: list[Freshness], unread: list[str]
) -> Current:
    cold = [status for status in freshness.values() if status.warming]
    moments = [status.as_of for status in about if status.as_of is not None]
    as_of = min(moments, default=None)
    old = [status for status in freshness.values() if status.stale and not status.warming]
    warnings: list[ToolWarning] = []
    stale = None
    if old:
        oldest = min([*moments, *(status.as_of for status in old if status.as_of is not None)])
        as_of = as_of and oldest  # what it is about may not be complete at all
        reasons = dict.fromkeys(status.reason or "a refresh is under way" for status in old)
        stale = Stale(age_seconds=age_seconds(services.clock, oldest), reason="; ".join(reasons))
    if cold:
        names = ", ".join(status.entity for status in cold)
        reasons = "; ".join(dict.fromkeys(status.reason for status in cold if status.failed and status.reason))
        state = f"cannot go on ({reasons})" if reasons else _under_way(services.silence())
        again = " until Katana can be read again" if reasons else "; ask again in a moment"
        message = f"the first sync of {names} {state}: rows may be missing or old{again}"
        warnings.append(advisory(warning_codes.COLD_CACHE, message))
    if unread:
        message = (
            f"records that Katana has but that could not be read are left out: {'; '.join(unread)}; see cache_status"
        )
        warnings.append(advisory(warning_codes.UNREAD_RECORDS, message))
    return Current(
        as_of=as_of,
        stale=stale,
        warming=_progress(cold) if cold else None,
        source="sandbox" if services.sandbox else None,
        warnings=warnings,
        lookups=services.lookups,
        unread_fields={name: status.unread for name, status in freshness.items() if status.unread},
    )


def _under_way(silent: str | None) -> str:
    """Return how far a first sync is that has not failed: Katana may not answer it just now."""
    return "is not finished" if silent is None else f"is waiting for Katana, which {silent} and is asked again"


def age_seconds(clock: Clock, as_of: str) -> int:
    """Return how many seconds ago this was."""
    return round((clock.now() - datetime.fromisoformat(as_of)).total_seconds())


def _progress(cold: list[Freshness]) -> str:
    done = sum(freshness.done or 0 for freshness in cold)
    totals = [freshness.total for freshness in cold if freshness.total is not None]
    return f"{done}/{sum(totals) if len(totals) == len(cold) else '?'}"
