"""Nothing is denied unasked: what a call names and the cache does not have is asked of Katana, within bounds.

One request per collection for all of it, the same name once a minute, and six calls a minute per caller that ask.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from cache_core.clock import Clock
from cache_core.protocol import CacheBackend
from cache_core.spec import EntitySpec
from cache_core.sync import FreshReads, Syncer
from katana_mcp.values import id_in

type Asked = tuple[str, int | str]
"""A cache entity, and the id, name, number or SKU of one of its records."""

REMEMBERED = 60.0
"""Seconds for which Katana is not asked for the same name again."""
PER_MINUTE = 6
"""Calls of one caller within a minute that may ask."""
_MINUTE = 60.0
_SILENT = 10.0
"""Seconds for which nobody who has waited since before it waits for what Katana did not answer."""
_ROOM = 3_000
"""Encoded bytes of business keys that fit into one filter."""
_BESIDE = {"variant": "service"}
"""Where else such a record may stand: the variants of services are kept inside them."""


class LiveLookups:
    """What one account's callers asked Katana for, and when."""

    def __init__(self, fresh: FreshReads, syncer: Syncer, cache: CacheBackend, clock: Clock) -> None:
        self.clock = clock
        self._fresh = fresh
        self._specs = syncer.specs
        self._cache = cache
        self._asked: dict[Asked, float] = {}
        self._calls: dict[str, deque[float]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._failed_at: dict[str, float] = {}
        self._seen_listed: set[str] = set()

    def of_call(self, principal: str) -> "CallLookups":
        """Return the lookups of one call of this caller."""
        return CallLookups(self, principal)

    def turn(self, entity: str) -> asyncio.Lock:
        """Return the lock under which an entity is asked for: who waits for it finds what the other one found."""
        return self._turns.setdefault(entity, asyncio.Lock())

    def failed_since(self, entity: str, moment: float) -> str | None:
        """Return why the entity could not be asked for after this moment, or never is; None where it could be."""
        if self._fresh.closed is not None:
            return self._fresh.closed
        since = max(moment, self.clock.monotonic() - _SILENT)
        return self._fresh.why_unread(entity) if self._failed_at.get(entity, since) > since else None

    def unasked(self, entity: str, values: Iterable[int | str]) -> list[int | str]:
        """Return what Katana was not asked for within the last minute."""
        end = self.clock.monotonic() - REMEMBERED
        self._asked = {key: at for key, at in self._asked.items() if at > end}
        return [value for value in dict.fromkeys(values) if (entity, value) not in self._asked]

    def allowed(self, principal: str) -> float | None:
        """Count a call that asks; return None, or in how many seconds the caller may ask again."""
        now = self.clock.monotonic()
        calls = self._calls.setdefault(principal, deque())
        while calls and calls[0] <= now - _MINUTE:
            calls.popleft()
        if len(calls) >= PER_MINUTE:
            return calls[0] + _MINUTE - now
        calls.append(now)
        return None

    async def listed(self, entity: str) -> bool:
        """Return whether a first listing of the entity has ended."""
        return (await self._cache.state(entity)).completed_at is not None

    async def is_first_listing(self, entity: str) -> bool:
        """Return whether a first listing of the entity goes on; one that was seen to end is not asked about again."""
        if entity not in self._seen_listed and await self.listed(entity):
            self._seen_listed.add(entity)
        return entity not in self._seen_listed

    async def read_early(self, entity: str, values: Sequence[int | str]) -> None:
        """Read what a first listing has not brought yet."""
        by_id = await self._fresh.read_missing(entity, [value for value in values if isinstance(value, int)])
        by_key = by_id and await self._fresh.read_missing_keys(
            entity, [value for value in values if isinstance(value, str)]
        )
        if not by_key:
            self._failed_at[entity] = self.clock.monotonic()

    async def read_code(self, entity: str, code: str) -> None:
        """Read what a first listing has not brought yet by a code, which is not asked for again within a minute."""
        if self.unasked(entity, [code]):
            if await self._fresh.read_missing_code(entity, code):
                self._asked[entity, code] = self.clock.monotonic()
            else:
                self._failed_at[entity] = self.clock.monotonic()

    async def read(self, entity: str, values: Sequence[int | str], *, newest: bool = False) -> str | None:
        """Ask for these by their ids or keys, else for what is newest; return why that failed, or None."""
        spec = self._specs[entity]
        ids = [value for value in values if isinstance(value, int)]
        keys = [value for value in values if isinstance(value, str)]
        if newest:
            done = await self._fresh.read_newest(entity)
        elif not keys and spec.fetch_by == "list_ids":
            done = await self._fresh.read_again(entity, ids)
        elif not ids and _fits(spec, keys):
            done = await self._fresh.read_keys_again(entity, keys)
        else:
            done = await self._fresh.read_newest(entity)
        if not done:
            self._failed_at[entity] = self.clock.monotonic()
            return self._fresh.why_unread(entity)
        self._asked |= dict.fromkeys(((entity, value) for value in values), self.clock.monotonic())
        return None


@dataclass(slots=True)
class CallLookups:
    """What one call asks Katana for because the cache does not have it.

    Attributes:
        account: those of all calls.
        principal: who calls.
        unasked: why Katana could not be asked, by cache entity.
        held_back: what Katana was not asked for, since this caller had asked too often.
    """

    account: LiveLookups
    principal: str
    unasked: dict[str, str] = field(default_factory=dict[str, str])
    held_back: dict[Asked, None] = field(default_factory=dict[Asked, None])
    _began: float = field(init=False)
    _wait: float | None = None
    _counted: bool = False

    def __post_init__(self) -> None:
        """Note since when it waits."""
        self._began = self.account.clock.monotonic()

    def remarks(self) -> list[str]:
        """Return what Katana was not asked for of what the call names, and why, a sentence for each reason."""
        reasons: dict[str, list[str]] = {}
        for entity, reason in self.unasked.items():
            reasons.setdefault(reason, []).append(entity)
        remarks = [f"Katana could not be asked for {_titles(names)}: {reason}" for reason, names in reasons.items()]
        if self.held_back:
            names = dict.fromkeys(entity for entity, _ in self.held_back)
            limit = f"unknown names are looked up in {PER_MINUTE} calls a minute at most"
            again = f"what was read last was used; again in {round(self._wait or 0) or 1} s"
            remarks.append(f"Katana was not asked for {_titles(names)}: {limit}, and {again}")
        return remarks

    def understood(self, names: Iterable[Asked]) -> None:
        """Note that records were found for these names in another way: nothing depends on what was held back."""
        for name in names:
            self.held_back.pop(name, None)

    async def ask(self, asked: Iterable[Asked], *, newest: bool = False) -> bool:
        """Ask Katana for what is named, one request per collection; return whether the cache may have it now.

        `newest` reads what is newest, not what has these keys.
        """
        values: dict[str, list[int | str]] = {}
        for entity, value in asked:
            for place in (entity, *([_BESIDE[entity]] if entity in _BESIDE else ())):
                values.setdefault(place, []).append(value)
        tried = await asyncio.gather(*[self._ask(entity, some, newest=newest) for entity, some in values.items()])
        return any(tried)

    async def ask_first(self, entities: Iterable[str], code: str) -> bool:
        """While first listings of these entities go on, ask Katana for a key or code; return whether any does."""
        listing = [entity for entity in entities if await self.account.is_first_listing(entity)]
        if listing:  # hardly ever, and a task for each is some 3 % of a search
            await asyncio.gather(*[self._ask_early(entity, code) for entity in listing])
        return bool(listing)

    async def _ask_early(self, entity: str, code: str) -> None:
        async with self.account.turn(entity):
            if self.account.failed_since(entity, self._began) is None:
                await self.account.read_code(entity, code)

    async def _ask(self, entity: str, values: Sequence[int | str], *, newest: bool) -> bool:
        async with self.account.turn(entity):
            # Who waited for one that Katana did not answer does not wait for Katana once more.
            silent = self.account.failed_since(entity, self._began)
            if not await self.account.listed(entity):
                if silent is None:
                    await self.account.read_early(entity, values)
                return True
            new = self.account.unasked(entity, values)
            if new and silent is None and self._is_over():
                self.held_back |= dict.fromkeys((entity, value) for value in new)
                return False
            reason = silent or await self.account.read(entity, new, newest=newest) if new else None
            if reason is not None:
                self.unasked[entity] = reason
        return reason is None

    def _is_over(self) -> bool:
        """Count this call once; return whether its caller has asked too often."""
        if not self._counted:
            self._wait = self.account.allowed(self.principal)
            self._counted = True
        return self._wait is not None


def _titles(entities: Iterable[str]) -> str:
    return " and ".join(f"{entity.replace('_', ' ')}s" for entity in entities)


def _fits(spec: EntitySpec, keys: Sequence[str]) -> bool:
    """Return whether Katana finds all of these keys with one filter, and none of them may be an id."""
    if len(keys) > spec.keys_at_once or any(id_in(key) is not None for key in keys):
        return False
    return sum(len(quote(key)) + len(spec.key_path or "") + 2 for key in keys) <= _ROOM
