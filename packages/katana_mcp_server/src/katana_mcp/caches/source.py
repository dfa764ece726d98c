"""The cache's `Source` over the Katana client: pages, stock, and errors told in one plain sentence."""

from collections import Counter
from collections.abc import Collection, Container, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from itertools import batched
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from cache_core.errors import SourceUnavailable
from cache_core.indexing import excerpt
from cache_core.protocol import Quarantined
from cache_core.records import Record, RecordId, is_text
from cache_core.spec import EntitySpec, Listed
from cache_core.specs.factory import FACTORY, FACTORY_ID
from cache_core.sync import SourcePage, Window
from cache_core.sync.source import PAGE_SIZE
from katana_client import BASE_URL, KatanaClient, Priority
from katana_client.errors import (
    CallError,
    KatanaError,
    KatanaUnavailable,
    KeyRejected,
    NotFound,
    RateLimited,
    UnexpectedResponse,
)
from katana_client.page import InvalidRecord, Page

type AnyPage = Page[Any]

LIMIT = "Katana's limit of 60 requests a minute is used up"


class Listable(Protocol):
    """A collection that can be read page by page."""

    async def page(self, number: int, *, limit: int, **filters: object) -> AnyPage:
        """Return one page of at most 250 rows."""
        ...

    async def get_record(self, identity: RecordId) -> Mapping[str, object]:
        """Return one record as a plain dict."""
        ...

    def batches[V: RecordId](self, name: str, values: Iterable[V], most: int | None = None) -> Sequence[tuple[V, ...]]:
        """Cut values of a filter into runs that one listing takes."""
        ...

    def unread_fields(self, record: Mapping[str, object]) -> tuple[str, ...]:
        """Return the fields of a record whose form nobody foresaw."""
        ...


class Awaited:
    """The first listings that a plan waits for; they go with what people wait for, and not behind it."""

    def __init__(self) -> None:
        self._entities = Counter[str]()

    def __contains__(self, entity: str) -> bool:
        """Return whether a plan waits for it."""
        return self._entities[entity] > 0

    @contextmanager
    def waited_for(self, entities: Collection[str]) -> Generator[None]:
        """Let these be waited for as long as the block lasts."""
        self._entities.update(entities)
        try:
            yield
        finally:
            self._entities.subtract(entities)


class KatanaSource:
    """Reads one Katana account for its cache; listings are bulk work, stock is asked for while somebody waits.

    Args:
        client: For what somebody waits for.
        bulk: For listings: a client with a second key of the account; the same client by default.
        priority: Of listings, and of reads by ids; that of who asks where it is None.
        awaited: Listings that a plan waits for.
    """

    def __init__(
        self,
        client: KatanaClient,
        bulk: KatanaClient | None = None,
        priority: Priority | None = Priority.BULK,
        awaited: Container[str] = (),
    ) -> None:
        self._client = client
        self._bulk = bulk or client
        self._priority = priority
        self._awaited = awaited
        self._bulk_key = "KATANA_API_KEY" if self._bulk is client else "KATANA_SYNC_API_KEY"

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        """Return one page of a collection, soft-deleted and archived records included where Katana offers them."""
        if listed.name == FACTORY.name:
            return await self._factory()
        filters = _included(listed)
        if since is not None:
            filters["updated_at_min"] = datetime.fromisoformat(since)
        return await self._listed(listed, window, filters)

    def batches(self, spec: EntitySpec, ids: Sequence[RecordId]) -> Sequence[Sequence[RecordId]]:
        """Cut ids into runs that one listing takes, or of a page where each id is a request of its own."""
        if spec.fetch_by == "list_ids":
            return self._collection(spec).batches("ids", ids)
        return [*batched(ids, PAGE_SIZE)]

    def key_batches(self, spec: EntitySpec, keys: Sequence[str]) -> Sequence[Sequence[str]]:
        """Cut business keys into runs that one listing takes, `spec.keys_at_once` of them at most."""
        return self._collection(spec).batches(str(spec.key_path), keys, spec.keys_at_once)

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        """Return the records with these ids: from one listing, or one by one where Katana cannot list them by ids."""
        if spec.fetch_by == "list_ids":
            return await self._listed(spec, Window(1), _included(spec) | {"ids": list(ids)})
        found: list[Record] = []
        collection = self._collection(spec)
        try:
            with self._at_priority():
                for record_id in ids:
                    with suppress(NotFound):
                        found.append(await collection.get_record(record_id))
        except KatanaError as error:
            raise self._unavailable(error, self._bulk_key) from error
        unread = [collection.unread_fields(record) for record in found]
        return SourcePage(found, len(found), unread=_unread(spec, found, unread))

    async def with_keys(self, spec: EntitySpec, keys: Sequence[str], field: str | None = None) -> SourcePage:
        """Return the records with these business keys, or codes in another field: one listing that Katana filters."""
        value: object = list(keys) if spec.keys_at_once > 1 else keys[0]
        return await self._listed(spec, Window(1), _included(spec) | {field or str(spec.key_path): value})

    async def _listed(self, listed: Listed, window: Window, filters: Mapping[str, object]) -> SourcePage:
        collection = self._collection(listed)
        try:
            with self._at_priority(listed.name):
                page = await collection.page(window.number, limit=window.size, **filters)
            await page.validate()
        except KatanaError as error:
            raise self._unavailable(error, self._bulk_key) from error
        unread = _unread(listed, page.valid_records, page.unread)
        invalid = [_quarantined(invalid_value) for invalid_value in page.invalid]
        return SourcePage(page.valid_records, page.total_records, invalid, unread=unread)

    def _at_priority(self, listing: str = "") -> AbstractContextManager[None]:
        if self._priority is None:
            return nullcontext()
        return self._client.priority(Priority.INTERACTIVE if listing in self._awaited else self._priority)

    async def _factory(self) -> SourcePage:
        """Return the settings, which are one object without an id, as a listing of one record."""
        try:
            with self._at_priority(FACTORY.name):
                settings = await self._client.factory.read_record()
        except KatanaError as error:
            raise self._unavailable(error) from error
        unread = self._client.factory.unread_fields(settings)
        record = {**settings, FACTORY.id_path: FACTORY_ID}
        return SourcePage([record], None, bare=True, unread=_unread(FACTORY, [record], [unread]))

    def late(self) -> str | None:
        """Return why no answer could come in time; None where Katana could be asked."""
        waits = self._client.budget.expected(Priority.INTERACTIVE) > 0
        return LIMIT if waits else None

    def stock_batches(self, variant_ids: Sequence[int]) -> Sequence[Sequence[int]]:
        """Cut ids into runs that one listing of `/inventory` takes."""
        return self._client.inventory.batches("variant_id", variant_ids)

    async def stock(self, variant_ids: Sequence[int]) -> Sequence[Record]:
        """Return the `/inventory` rows of these variants at every location."""
        rows: list[Mapping[str, object]] = []
        try:
            listing = self._client.inventory.pages(variant_id=list(variant_ids), include_archived=True)
            async for page in listing:
                await page.validate()
                rows.extend(page.valid_records)
        except KatanaError as error:
            raise self._unavailable(error) from error
        return rows

    def _collection(self, listed: Listed) -> Listable:
        return cast("Listable", getattr(self._bulk, listed.collection))

    def _unavailable(self, error: KatanaError, key: str = "KATANA_API_KEY") -> SourceUnavailable:
        if isinstance(error, KeyRejected):
            return SourceUnavailable(f"Katana refused the API key in {key}", refused=True)
        if isinstance(error, RateLimited):
            return SourceUnavailable(LIMIT, error.retry_after)
        # A server that answers at all may answer for other collections.
        everywhere = not isinstance(error, CallError) or error.status is None
        silent = isinstance(error, KatanaUnavailable) and error.status is None
        where = f"no answer from {urlsplit(self._client.base_url).netloc}: " if silent else ""
        # What Katana itself never answers to a listing: a page of another site, a redirect, no such path.
        elsewhere = type(error) in {UnexpectedResponse, NotFound} and self._client.base_url != BASE_URL
        hint = (
            f"; check KATANA_BASE_URL: it is {self._client.base_url}, and Katana's is {BASE_URL}" if elsewhere else ""
        )
        return SourceUnavailable(f"Katana could not be read: {where}{error}{hint}", everywhere=everywhere)


def _included(listed: Listed) -> dict[str, object]:
    return {f"include_{state}": True for state in listed.include}


def _unread(
    listed: Listed, records: Sequence[Record], unread: Sequence[tuple[str, ...]]
) -> dict[RecordId, tuple[str, ...]]:
    """Return the fields that could not be read, by the id of their record."""
    pairs = zip(records, unread, strict=True) if any(unread) else ()
    return {row: paths for record, paths in pairs if paths and (row := listed.id_of(record)) is not None}


def _quarantined(invalid: InvalidRecord) -> Quarantined:
    record = invalid.record
    payload = excerpt(cast("Record", record)) if isinstance(record, Mapping) else repr(record)[:2_000]
    record_id = invalid.id if not isinstance(invalid.id, str) or is_text(invalid.id) else None
    return Quarantined(record_id, invalid.reason, payload)
