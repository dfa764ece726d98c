"""`Resource`: what can be done with one collection, driven by its `Spec`."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Never, cast

from katana_client.collection import Collection
from katana_client.errors import InvalidRequest, NotFound, Refusal, UnexpectedResponse
from katana_client.exchange import Call
from katana_client.filters import batches, one_request, parameters, query, split
from katana_client.listing import PAGE_SIZE, Listing
from katana_client.normalise import normalise
from katana_client.page import InvalidRecord, Page, Shape, read_record, read_what_is_there, unread_fields
from katana_client.paths import checked_id, checked_uuid, record_path
from katana_client.wire import ReadModel, WriteModel, is_set

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence

    from katana_client.collection import Identity
    from katana_client.filters import FilterValue, Parameters
    from katana_client.sending import Answer


class Resource[M: ReadModel, C: WriteModel, U: WriteModel](Collection):
    """One collection.

    Every method raises what `KatanaClient.send` raises, and `InvalidRequest` for what Katana has no operation
    for.

    """

    async def page(self, number: int, *, limit: int = PAGE_SIZE, **filters: FilterValue) -> Page[M]:
        """Return one page of the listing.

        Args:
            number: 1 for the first.
            limit: Rows per page, 1 to 250.
            **filters: See `spec.filters`; moments must be aware. All must fit one request.

        Raises:
            FilterIgnored: A row contradicts an id filter.
            UnexpectedResponse: The answer is no list.
        """
        _whole("number", number, None)
        _whole("limit", limit, PAGE_SIZE)
        return await self._listing(self._one(filters)).page(number, limit)

    def batches[V: Identity](self, name: str, values: Iterable[V], most: int | None = None) -> Sequence[tuple[V, ...]]:
        """Cut values of a filter into runs that `page` and `pages` take, in order, each as long as one request allows.

        Args:
            name: One of `spec.filters`; one that takes a single value gets runs of one.
            values: Ids, or keys such as SKUs; any number, each taken once.
            most: Values of a run at most; None for as many as one request takes.
        """
        return batches(self.spec.filters, name, values, most)

    def pages(self, start: int = 1, *, limit: int = PAGE_SIZE, **filters: FilterValue) -> AsyncIterator[Page[M]]:
        """Yield the pages from `start` on; each is retried alone.

        Args:
            start: 1 for the first.
            limit: Rows per page, 1 to 250.
            **filters: See `spec.filters`. All must fit one request.

        Raises:
            IncompleteListing: Short, shrinking or without header; raised after the last readable page.
        """
        _whole("start", start, None)
        _whole("limit", limit, PAGE_SIZE)
        return self._listing(self._one(filters)).pages(start, limit)

    async def list(
        self, ids: Iterable[Identity] | None = None, limit: int | None = None, **filters: FilterValue
    ) -> AsyncIterator[M]:
        """Yield the records, each once, whatever the number of pages, ids or filter values.

        Records that cannot be read are left out; `pages` shows them in `Page.invalid`.

        Args:
            ids: Any number of ids; an empty one yields nothing.
            limit: Records at most; None for all.
            **filters: See `spec.filters`. Lists of any length; a list for a filter that takes one value is asked
                one by one.

        Raises:
            IncompleteListing: Not all records could be read; raised after those that could.
        """
        async with aclosing(self._unique(ids, limit, filters)) as rows:
            async for item, _ in rows:
                yield item

    async def list_records(
        self, ids: Iterable[Identity] | None = None, limit: int | None = None, **filters: FilterValue
    ) -> AsyncIterator[Mapping[str, object]]:
        """Yield what `list` yields as plain dicts, normalised like `Page.records`."""
        async with aclosing(self._unique(ids, limit, filters)) as rows:
            async for _, record in rows:
                yield record

    async def get(self, identity: Identity, **filters: FilterValue) -> M:
        """Return one record; through the listing where Katana has no GET by id (`spec.gets`).

        Args:
            identity: The record's id.
            **filters: See `spec.get_filters`, or `spec.filters` where the listing is used.

        Raises:
            NotFound: There is no such record.
            UnexpectedResponse: The record cannot be read.
        """
        record = await self.get_record(identity, **filters)
        item = read_record(self._shape, record)
        if isinstance(item, InvalidRecord):
            raise UnexpectedResponse("GET", self.spec.path, f"the record {identity} is unreadable: {item.reason}")
        return item

    async def get_record(self, identity: Identity, **filters: FilterValue) -> Mapping[str, object]:
        """Return one record as a plain dict, normalised like `Page.records`.

        Raises:
            NotFound: There is no such record.
        """
        spec = self.spec
        if spec.gets is None:
            self._refuse("GET", "/{id}")
        if spec.gets == "path":
            pairs = query(
                one_request(
                    spec.get_filters,
                    parameters(spec.get_filters, filters, f"GET {spec.path}/{{id}}"),
                    spec.name,
                )
            )
            call = Call("GET", record_path(spec.name, identity, uuid=spec.uuid), pairs)
            answer = await self.sender.send(call)
            return self._object(answer, call)
        asked = checked_uuid(identity) if spec.uuid else checked_id(identity)
        narrowed: dict[str, FilterValue] = {**filters, str(spec.gets): asked}
        page = await self._listing(self._one(narrowed)).page(1)
        if page.records:
            return page.records[0]
        raise NotFound("GET", spec.path, Refusal(404, f"no record with id {asked}"))

    async def create(self, new: C) -> M:
        """Create a record. Any 2xx is a success.

        Returns:
            The record as answered. Fields that were not answered, or not readable, are None and missing from
            `model_fields_set`; after an empty or unreadable answer that is all of them.

        Raises:
            OutcomeUnknown: The record may or may not exist; look for it, never resend.
        """
        return self.understood(await self.create_record(new))

    async def create_record(self, new: C) -> Mapping[str, object]:
        """Create a record and return the answer as a plain dict, normalised; empty when it was unreadable."""
        return self._answered(await self.sender.send(self.creation(new)))

    async def carry_out(self, call: Call) -> M:
        """Send a planned write that is answered by a record of this collection; returns and raises as `create`."""
        return self.understood(self._answered(await self.sender.send(call)))

    def creation(self, new: C) -> Call:
        """Return the call that `create` sends."""
        if self.spec.create is None or not isinstance(new, self.spec.create):
            self._refuse("POST", "", new)
        return Call("POST", self.spec.path, (), new.wire())

    async def update(self, identity: Identity, change: U, *, keep: M | Mapping[str, object] | None = None) -> M:
        """Change the fields that are set in `change`, and no others.

        Katana wipes `spec.keeps` (`additional_info`) when a PATCH leaves it out (facts 5.1). So when `change`
        does not set it, its value is sent along: from `keep`, or else from one GET made first. When that GET
        fails, the update fails before anything is sent. A GET can lag minutes behind a recent write (facts
        5.2): who knows the value gives `keep`.

        Args:
            identity: The record's id.
            change: At least one field.
            keep: The record as known.

        Returns:
            As `create`; an answer can hold less than a GET (facts 5.8).

        Raises:
            InvalidRequest: Nothing is set.
            OutcomeUnknown: The change may or may not have been made; look, never resend.
        """
        return self.understood(await self.update_record(identity, change, keep=keep))

    async def update_record(
        self, identity: Identity, change: U, *, keep: M | Mapping[str, object] | None = None
    ) -> Mapping[str, object]:
        """Update a record and return the answer as a plain dict, normalised; empty when it was unreadable."""
        call = self.change(identity, change, keep=keep)
        unknown = [
            name for name in self.spec.keeps if not is_set(change, name) and (keep is None or not is_set(keep, name))
        ]
        if unknown:
            current = await self.get_record(identity)
            call = self.change(identity, change, keep=current)
        return self._answered(await self.sender.send(call))

    def change(self, identity: Identity, change: U, *, keep: M | Mapping[str, object] | None = None) -> Call:
        """Return the call that `update` sends once it knows the current values of `spec.keeps`.

        Raises:
            InvalidRequest: Nothing is set.
        """
        if self.spec.update is None or not isinstance(change, self.spec.update):
            self._refuse("PATCH", "/{id}", change)
        path = record_path(self.spec.name, identity, uuid=self.spec.uuid)
        return Call("PATCH", path, (), self.spec.patch(change, keep))

    async def delete(self, identity: Identity) -> None:
        """Delete a record. A second delete is a `NotFound` (facts 5.12).

        Raises:
            NotFound: There is no such record.
            OutcomeUnknown: The record may or may not be gone.
        """
        await self.sender.send(self.deletion(identity))

    def deletion(self, identity: Identity) -> Call:
        """Return the call that `delete` sends."""
        if not self.spec.deletes:
            self._refuse("DELETE", "/{id}")
        return Call("DELETE", record_path(self.spec.name, identity, uuid=self.spec.uuid))

    def understood(self, record: Mapping[str, object]) -> M:
        """Return the model of what can be read of an answer; never fails."""
        return read_what_is_there(self._shape, record)

    def unread_fields(self, record: Mapping[str, object]) -> tuple[str, ...]:
        """Return the paths of the fields of a normalised record whose form nobody foresaw; mostly none."""
        return unread_fields(self._shape, record)

    async def read_object(self, path: str) -> Mapping[str, object]:
        """Return the object at a path of this collection as a plain dict, normalised.

        Raises:
            UnexpectedResponse: The answer is no object.
        """
        call = Call("GET", path)
        return self._object(await self.sender.send(call), call)

    async def read_rows[R: ReadModel](self, path: str, model: type[R]) -> tuple[R, ...]:
        """Return the rows of a listing that has neither pages nor ids.

        Raises:
            UnexpectedResponse: The answer is no list, or a row cannot be read.
        """
        page = await Listing(self.sender, path, Shape(model, key=()), {}).whole()
        if page.invalid:
            raise UnexpectedResponse("GET", path, f"a row is unreadable: {page.invalid[0].reason}")
        return page.items

    @property
    def _shape(self) -> Shape[M]:
        return Shape(cast("type[M]", self.spec.model), self.spec.key)

    def _listing(self, requested: Parameters) -> Listing[M]:
        return Listing(self.sender, self.spec.path, self._shape, requested)

    async def _unique(
        self, ids: Iterable[Identity] | None, limit: int | None, filters: Mapping[str, FilterValue]
    ) -> AsyncGenerator[tuple[M, Mapping[str, object]]]:
        if limit is not None:
            _whole("limit", limit, None)
        narrowed = filters if ids is None else {**filters, "ids": [checked_id(record_id) for record_id in ids]}
        size = PAGE_SIZE if limit is None else min(limit, PAGE_SIZE)
        seen: set[tuple[object, ...]] = set()
        for requested in split(self.spec.filters, self._parameters(narrowed)):
            async with aclosing(self._listing(requested).pages(size=size)) as pages:
                async for page in pages:
                    for row in self._unseen(page, seen):
                        yield row
                        if len(seen) == limit:
                            return

    def _unseen(self, page: Page[M], seen: set[tuple[object, ...]]) -> Iterator[tuple[M, Mapping[str, object]]]:
        for row in zip(page.items, page.valid_records, strict=True):
            key = tuple(row[1][name] for name in self.spec.key)
            if key not in seen:
                seen.add(key)
                yield row

    def _parameters(self, filters: Mapping[str, FilterValue]) -> Parameters:
        if not self.spec.lists:
            self._refuse("GET", "")
        return parameters(self.spec.filters, filters, self.spec.name)

    def _one(self, filters: Mapping[str, FilterValue]) -> Parameters:
        return one_request(self.spec.filters, self._parameters(filters), self.spec.name)

    def _answered(self, answer: Answer) -> Mapping[str, object]:
        if not isinstance(answer.value, dict):
            return {}
        return normalise(cast("dict[str, object]", answer.value), self.spec.model)

    def _object(self, answer: Answer, call: Call) -> Mapping[str, object]:
        if not isinstance(answer.value, dict):
            raise UnexpectedResponse(call.method, call.path, "the answer is no object", answer.reply.status)
        return self._answered(answer)

    def _refuse(self, method: str, tail: str, body: WriteModel | None = None) -> Never:
        expected = {"POST": self.spec.create, "PATCH": self.spec.update}.get(method)
        if body is not None and expected is not None:
            message = f"{method} {self.spec.path}{tail} takes a {expected.__name__}, not a {type(body).__name__}"
        else:
            message = f"Katana has no {method} {self.spec.path}{tail}"
        raise InvalidRequest(message)


def _whole(name: str, value: object, most: int | None) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1 or (most is not None and value > most):
        message = f"{name} must be a whole number from 1" + ("" if most is None else f" to {most}")
        raise InvalidRequest(message)
