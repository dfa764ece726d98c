"""Answers and pages judged to the letter: what is retried and for how long, and what makes a listing doubtful."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import cast

import pytest

from katana_client import Call, Patience, Priority, RateFacts, Reply, RequestRecord, SlidingWindowBudget
from katana_client.clock import ManualClock
from katana_client.errors import (
    CallError,
    FilterIgnored,
    IncompleteListing,
    KatanaUnavailable,
    OutcomeUnknown,
    RateLimited,
    RequestRejected,
    UnclearWrite,
    UnexpectedResponse,
)
from katana_client.exchange import ExchangeFailed
from katana_client.headers import Cursor
from katana_client.jsontext import UNREADABLE
from katana_client.listing import Listing, Progress, rows_of
from katana_client.models.variants import Variant
from katana_client.page import (
    InvalidRecord,
    Page,
    Reading,
    Shape,
    read_page,
    read_record,
    read_what_is_there,
    reading,
    unread_fields,
)
from katana_client.sending import Answer, Sender, Surroundings, judge, judge_failure
from katana_client.testing import FakeWire, listing, reply

READ, WRITE = Call("GET", "/variants"), Call("POST", "/variants", (), {"sku": "x"})
SHAPE = Shape(Variant)
OWN = reply({"error": {"message": "m"}}, 422)


def fault(call: Call, answer: Reply, hold: float = 0.0) -> tuple[type[CallError], str, bool, float | None]:
    """Return the class and the text of what an answer means, whether it is tried again, and after how long."""
    judged = judge(call, answer, hold)
    assert not isinstance(judged, Answer)
    return type(judged.error), str(judged.error), judged.retry, judged.hold


UNKNOWN, FOREIGN = "the outcome is unknown", "the outcome is unknown, the answer is not in Katana's form"
ODD = "an answer that is neither success nor refusal; not followed"


@pytest.mark.parametrize(
    ("status", "read", "write"),
    [
        (199, (UnexpectedResponse, ODD, False), (UnclearWrite, ODD, False)),
        (300, (UnexpectedResponse, ODD, False), (UnclearWrite, ODD, False)),
        (399, (UnexpectedResponse, ODD, False), (UnclearWrite, ODD, False)),
        (400, (RequestRejected, "m", False), (UnclearWrite, f"{FOREIGN}: m", False)),
        (408, (KatanaUnavailable, "m", True), (OutcomeUnknown, f"{UNKNOWN}: m", False)),
        (409, (RequestRejected, "m", False), (UnclearWrite, f"{FOREIGN}: m", False)),
        (499, (RequestRejected, "m", False), (UnclearWrite, f"{FOREIGN}: m", False)),
        (500, (KatanaUnavailable, "m", True), (OutcomeUnknown, f"{UNKNOWN}: m", False)),
        (599, (KatanaUnavailable, "m", True), (OutcomeUnknown, f"{UNKNOWN}: m", False)),
    ],
)
def test_a_status_means_one_thing_for_a_read_and_one_for_a_write(
    status: int, read: tuple[type[CallError], str, bool], write: tuple[type[CallError], str, bool]
) -> None:
    answer = reply(b"m", status)
    for call, (kind, text, retry) in ((READ, read), (WRITE, write)):
        assert fault(call, answer) == (kind, f"{call.method} /variants: {status} {text}", retry, None)


def test_a_refusal_in_katanas_form_is_one_for_a_write_too() -> None:
    assert fault(WRITE, OWN) == (RequestRejected, "POST /variants: 422 m", False, None)


@pytest.mark.parametrize(("hold", "kept"), [(0.0, None), (7.5, 7.5)])
def test_too_many_requests_are_tried_again_as_told(hold: float, kept: float | None) -> None:
    text = f"POST /variants: 429 m (retry after {hold:g} s)"
    assert fault(WRITE, reply(b"m", 429), hold) == (RateLimited, text, True, kept)


@pytest.mark.parametrize("status", [200, 299])
def test_a_success_of_a_read_is_readable_or_tried_again(status: int) -> None:
    whole = reply({"a": 1}, status)
    cut, html = Reply(status, {}, b"{}", complete=False), reply(b"<p>", status)
    assert judge(READ, whole, 0.0) == Answer(whole, {"a": 1})
    assert fault(READ, html) == (UnexpectedResponse, f"GET /variants: {status} the body is not JSON", True, None)
    assert fault(READ, cut) == (UnexpectedResponse, f"GET /variants: {status} the body broke off", True, None)
    assert [judge(WRITE, answer, 0.0) for answer in (html, cut)] == [Answer(html, UNREADABLE), Answer(cut, UNREADABLE)]
    assert (Answer(whole, None).readable, Answer(cut, UNREADABLE).readable) == (True, False)


@pytest.mark.parametrize(
    ("call", "sent", "kind", "text", "retry"),
    [
        (READ, True, KatanaUnavailable, "why", True),
        (READ, False, KatanaUnavailable, "not sent: why", True),
        (WRITE, True, OutcomeUnknown, f"{UNKNOWN}: why", False),
        (WRITE, False, KatanaUnavailable, "not sent: why", True),
    ],
)
def test_a_missing_answer_means_what_was_sent(
    call: Call, kind: type[CallError], text: str, *, sent: bool, retry: bool
) -> None:
    judged = judge_failure(call, ExchangeFailed("why", sent=sent))
    assert (type(judged.error), str(judged.error)) == (kind, f"{call.method} /variants: {text}")
    assert (judged.retry, judged.hold, judged.error.status) == (retry, None, None)


def test_what_did_not_arrive_says_why_in_a_traceback_too() -> None:
    assert str(ExchangeFailed("the connection was cut", sent=True)) == "the connection was cut"


def sender(patience: Patience, *answers: Reply | ExchangeFailed) -> tuple[Sender, ManualClock, list[RequestRecord]]:
    """Return a sender whose wire gives these answers, the last one for ever, its clock and what it told."""
    remaining: Iterator[Reply | ExchangeFailed] = iter(answers)

    def handler(_: Call) -> Reply:
        clock.advance(0.25)
        assert clock.monotonic() < 1_000
        step = next(remaining, answers[-1])
        if isinstance(step, ExchangeFailed):
            raise step
        return step

    clock, records = ManualClock(), list[RequestRecord]()
    clock.advance(7.0)
    around = Surroundings(FakeWire(handler), SlidingWindowBudget(clock), clock, records.append, patience)
    return Sender(around), clock, records


BUSY = reply(b"m", 503)


@pytest.mark.parametrize(
    ("patience", "tries", "paused"),
    [
        (Patience(), 5, 1 + 2 + 4 + 8),
        (Patience(tries=1), 1, 0),
        (Patience(tries=2), 2, 1),
        (Patience(seconds=2.9), 2, 1),
        (Patience(seconds=3.0), 3, 3),
        (Patience(seconds=0.0), 1, 0),
        (Patience(tries=3, backoff=0.5), 3, 1.5),
        (Patience(9, 1_000.0), 9, 255),
    ],
)
async def test_a_read_is_tried_again_as_long_as_patience_lasts(patience: Patience, tries: int, paused: float) -> None:
    send, clock, records = sender(patience, BUSY)
    with pytest.raises(KatanaUnavailable):
        await send.send(READ)
    assert [record.attempt for record in records] == list(range(1, tries + 1))
    assert clock.monotonic() == pytest.approx(7 + paused + tries / 4)


async def test_a_hold_that_katana_names_is_no_longer_doubled_and_ends_with_patience() -> None:
    held = reply(b"m", 429, {"retry-after": "20"})
    send, clock, records = sender(Patience(seconds=40.0), held)
    with pytest.raises(RateLimited):
        await send.send(WRITE)
    assert len(records) == 3
    assert clock.monotonic() >= 47


GOOD = reply({"data": []})


@pytest.mark.parametrize(
    ("call", "answer", "status", "outcome"),
    [
        (READ, GOOD, 200, "answered"),
        (READ, reply(b"<p>"), 200, "unreadable"),
        (READ, reply(b"<p>", 299), 299, "unreadable"),
        (READ, reply(b"<p>", 300), 300, "answered"),
        (READ, BUSY, 503, "answered"),
        (READ, ExchangeFailed("why", sent=True), None, "no_answer"),
        (READ, ExchangeFailed("why", sent=False), None, "not_sent"),
        (WRITE, reply(b"<p>"), 200, "answered"),
        (WRITE, ExchangeFailed("why", sent=True), None, "unknown"),
        (WRITE, ExchangeFailed("why", sent=False), None, "not_sent"),
    ],
)
async def test_every_request_is_told_as_it_went(
    call: Call, answer: Reply | ExchangeFailed, status: int | None, outcome: str
) -> None:
    send, _, records = sender(Patience(tries=1), answer)
    try:
        await send.send(call)
    except CallError:
        assert answer is not GOOD
    (record,) = records
    expected = (call.method, "/variants", status, 1, 0.0, pytest.approx(0.25), outcome)
    assert tuple(getattr(record, part.name) for part in fields(record)) == expected


class Slow:
    """A budget that takes two seconds for each ticket, and notes what it is told of it."""

    def __init__(self, clock: ManualClock) -> None:
        """Begin with the seventh ticket."""
        self._clock = clock
        self.observed: list[tuple[int, RateFacts | None]] = []

    async def acquire(self, priority: Priority) -> int:
        """Return the next ticket."""
        self._clock.advance(2.0)
        return 7 + len(self.observed)

    def observe(self, ticket: int, facts: RateFacts | None) -> None:
        """Note it."""
        self.observed.append((ticket, facts))

    def expected(self, priority: Priority) -> float:
        """Return nothing."""
        return 0.0

    def room_in(self, places: int, priority: Priority) -> float:
        """Return nothing."""
        return 0.0


async def test_the_budget_is_told_of_every_request_and_the_wire_gets_the_body() -> None:
    steps: Iterator[Reply | ExchangeFailed] = iter(
        [ExchangeFailed("why", sent=False), reply({}, 200, {"x-ratelimit-limit": "60"}), GOOD]
    )

    def handler(_: Call) -> Reply:
        step = next(steps)
        if isinstance(step, ExchangeFailed):
            raise step
        return step

    clock, records = ManualClock(), list[RequestRecord]()
    clock.advance(9.0)
    wire, budget = FakeWire(handler), Slow(clock)
    send = Sender(Surroundings(wire, budget, clock, records.append))
    await send.send(WRITE)
    await send.send(READ)
    assert budget.observed == [(7, None), (8, RateFacts(limit=60)), (9, RateFacts())]
    assert [record.waited for record in records] == [2.0, 2.0, 2.0]
    assert wire.bodies == [{"sku": "x"}, {"sku": "x"}, None]


async def test_who_is_told_may_fail_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: RequestRecord) -> None:
        raise LookupError

    caplog.set_level(logging.DEBUG, "katana_client")
    clock = ManualClock()
    around = Surroundings(FakeWire(lambda _: GOOD), SlidingWindowBudget(clock), clock, fail)
    assert (await Sender(around).send(READ)).value == {"data": []}
    told = [(record.levelname, record.getMessage(), bool(record.exc_info)) for record in caplog.records]
    assert ("WARNING", "on_request failed for GET /variants", True) in told
    assert ("DEBUG", "GET /variants: 200, try 1", False) in told


def page(
    number: int, count: int, total: int | None = None, pages: int | None = None, *, size: int = 2
) -> Page[Variant]:
    """Return a page of so many rows, with these totals."""
    rows = [{"id": nr} for nr in range(count)]
    return read_page(SHAPE, rows, Cursor(total, pages), (number, size))


@pytest.mark.parametrize(
    ("seen", "reported", "given", "doubt"),
    [
        (0, None, page(1, 2, 4, 2), None),
        (2, 4, page(2, 2, 4, 2), None),
        (0, None, page(1, 2), "page 1 has no readable X-Pagination"),
        (0, None, page(1, 2, None, 2), "page 1 has no readable X-Pagination"),
        (0, None, page(1, 2, 4, None), "page 1 has no readable X-Pagination"),
        (2, 5, page(2, 2, 4, 2), "the listing shrank from 5 to 4 rows while page 2 was read"),
        (2, 4, page(2, 1, 4, 2), "page 2 has 1 rows instead of 2"),
        (2, 3, page(2, 2, 3, 2), None),
        (0, None, page(1, 1, 4, 2), "page 1 has 1 rows instead of 2"),
        (0, None, page(1, 1, 3, 2), "page 1 has 1 rows instead of 2"),
        # A server that gives fewer rows a page says so by the number of pages.
        (0, None, page(1, 1, 4, 4), None),
        (0, None, page(1, 0, 4, 4), "page 1 has 0 rows instead of 2"),
        (3, 4, page(4, 1, 4, 4), None),
        (2, 4, page(4, 1, 4, 4), "page 4 has 1 rows instead of 2"),
        (0, None, page(1, 0, 0, 0), None),
        (0, 0, page(1, 0, 0, 1), None),
    ],
)
def test_a_page_is_doubtful_where_its_header_says_otherwise(
    seen: int, reported: int | None, given: Page[Variant], doubt: str | None
) -> None:
    progress = Progress("/variants", seen, reported)
    assert progress.doubt(given) == doubt
    progress.take(given)
    total = given.total_records
    counted = Progress("/variants", seen + given.count, reported if total is None else total, (doubt,) if doubt else ())
    assert progress == counted


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (Progress("/a", 4, 4), None),
        (Progress("/a", 5, 4), None),
        (Progress("/a", 3, 4), "rows are missing; 3 rows seen, 4 reported"),
        (Progress("/a", 3), "rows are missing; 3 rows seen, no readable total"),
        (Progress("/a", 4, 4, ("one", "two")), "one; two; 4 rows seen, 4 reported"),
        (Progress("/a", 4, 4, ("one", "two", "three", "four")), "one; two; three; 4 rows seen, 4 reported"),
    ],
)
def test_a_listing_is_complete_or_says_why_not(progress: Progress, reason: str | None) -> None:
    if reason is None:
        progress.finish()
        return
    with pytest.raises(IncompleteListing) as raised:
        progress.finish()
    assert str(raised.value) == f"GET /a: incomplete listing: {reason}"
    assert (raised.value.seen, raised.value.reported) == (progress.seen, progress.reported)


@pytest.mark.parametrize(("value", "rows"), [([1], [1]), ({"data": [2]}, [2]), ([], [])])
def test_the_rows_of_an_answer_stand_in_data_or_alone(value: object, rows: list[object]) -> None:
    assert rows_of(Answer(GOOD, value), "/a") == rows


def test_an_answer_without_rows_is_unexpected() -> None:
    with pytest.raises(UnexpectedResponse, match=r"^GET /a: 201 the answer is no list$"):
        rows_of(Answer(Reply(201), {"data": {}}), "/a")


def reader(handler: Callable[[Call], Reply], **requested: tuple[str, ...]) -> tuple[Listing[Variant], FakeWire]:
    """Return a listing of variants over answers, and its wire."""
    clock, wire = ManualClock(), FakeWire(handler)
    around = Surroundings(wire, SlidingWindowBudget(clock), clock, None, Patience(tries=1))
    return Listing(Sender(around), "/variants", SHAPE, requested), wire


ROWS: list[object] = [{"id": nr} for nr in range(5)]


@pytest.mark.parametrize(
    ("start", "size", "numbers"), [(1, 2, [1, 2, 3]), (2, 2, [2, 3]), (3, 2, [3]), (1, 5, [1]), (1, 250, [1])]
)
async def test_pages_are_read_from_one_to_the_last(start: int, size: int, numbers: list[int]) -> None:
    listed, wire = reader(lambda call: listing(ROWS, call))
    assert [page.number async for page in listed.pages(start, size)] == numbers
    assert [call.query for call in wire.calls] == [(("limit", str(size)), ("page", str(nr))) for nr in numbers]


async def test_a_page_is_asked_for_by_its_filters_size_and_number() -> None:
    listed, wire = reader(lambda call: listing(ROWS[3:4], call), ids=("3",))
    whole = await listed.page(1)
    assert (whole.size, whole.number, whole.cursor) == (250, 1, Cursor(1, 1, 1, last=True))
    assert await listed.whole() == whole
    assert [call.query for call in wire.calls] == [(("ids", "3"), ("limit", "250"), ("page", "1")), (("ids", "3"),)]
    assert [page.number async for page in listed.pages()] == [1]
    ignored, _ = reader(lambda call: listing(ROWS[3:4], call), ids=("4",))
    with pytest.raises(FilterIgnored, match=r"^GET /variants: 200 the filter ids was ignored: a row has id 3$"):
        await ignored.page(1)


async def test_an_empty_page_ends_a_listing_though_the_header_promises_more() -> None:
    listed, wire = reader(lambda call: Reply(200, listing(ROWS, call).headers, b"[]"))
    with pytest.raises(IncompleteListing, match="page 1 has 0 rows instead of 2; 0 rows seen, 5 reported"):
        [page async for page in listed.pages(1, 2)]
    assert len(wire.calls) == 2


@pytest.mark.parametrize(
    ("cursor", "last"),
    [
        (Cursor(9, 4), False),
        (Cursor(9, 3), True),
        (Cursor(9, 2), True),
        (Cursor(9, 4, last=True), False),
        (Cursor(last=True), True),
        (Cursor(last=False), False),
        (Cursor(), True),
    ],
)
def test_a_page_is_the_last_as_its_header_says_or_where_it_is_not_full(cursor: Cursor, *, last: bool) -> None:
    rows: list[object] = [{"id": 1}, 7]
    given = read_page(SHAPE, rows, cursor, (3, 3))
    assert (given.is_last, given.count, given.header_missing) == (last, 2, cursor.missing)
    assert (given.total_records, given.total_pages) == (cursor.total_records, cursor.total_pages)
    assert not read_page(SHAPE, rows, Cursor(), (3, 2)).is_last


UNREAD = ("lead_time", "config_attributes[].config_name", "config_attributes[]")
GOOD_ROW, PARTLY = {"id": 1, "sku": "A"}, {"id": 2, "lead_time": "long", "config_attributes": [{"config_name": 7}, 5]}


def test_rows_are_usable_where_something_tells_which_they_are() -> None:
    given = read_page(SHAPE, [GOOD_ROW, 7, PARTLY, {"sku": "B"}, {"id": "x"}], Cursor(), (1, 9))
    assert [item.id for item in given.items] == [1, 2]
    assert given.valid_records == (GOOD_ROW, PARTLY)
    assert given.unread == ((), UNREAD)
    integer = "id: Input should be a valid integer"
    assert given.invalid == (
        InvalidRecord(None, "id: missing", {"sku": "B"}),
        InvalidRecord("x", integer, {"id": "x"}),
        InvalidRecord(None, "not an object", 7),
    )


async def test_a_page_validated_in_steps_is_the_same_and_lets_others_in() -> None:
    rows: list[object] = [*({"id": nr} if nr % 9 else PARTLY for nr in range(101)), 7, {"sku": "B"}]
    at_once, in_steps = (read_page(SHAPE, rows, Cursor(), (1, 250)) for _ in range(2))
    told = list[str]()
    asyncio.get_running_loop().call_soon(told.append, "another")
    await in_steps.validate()
    assert told == ["another"]
    for of_page in ("items", "valid_records", "unread", "invalid"):
        assert getattr(in_steps, of_page) == getattr(at_once, of_page), of_page


async def test_what_was_validated_in_steps_is_not_validated_again() -> None:
    given = page(1, 1)
    await given.validate()
    cast("dict[str, object]", given.records[0]).clear()
    assert [item.id for item in given.items] == [0]


@pytest.mark.parametrize(
    ("record", "identity", "reason"),
    [
        ({"id": 5}, 5, "variant_id: missing"),
        ({"id": "u"}, "u", "variant_id: missing"),
        ({"id": True}, None, "variant_id: missing"),
        ({"id": 1.5, "variant_id": None}, None, "variant_id: missing"),
    ],
)
def test_a_record_without_its_key_is_told_by_its_id(
    record: dict[str, object], identity: int | str | None, reason: str
) -> None:
    assert reading(Shape(Variant, ("variant_id", "id")), record) == InvalidRecord(identity, reason, record)


def test_five_fields_at_most_are_said_to_be_wrong() -> None:
    names = ("sku", "sales_price", "product_id", "material_id", "lead_time", "type")
    wrong: dict[str, object] = {"id": "x", **{name: object() for name in names}}
    read = reading(SHAPE, wrong)
    assert isinstance(read, InvalidRecord)
    assert len(read.reason.split("; ")) == 5


def test_a_record_is_read_alone_as_on_a_page() -> None:
    read = reading(SHAPE, PARTLY)
    assert isinstance(read, Reading)
    assert (read.item, read.unread) == (read_record(SHAPE, PARTLY), UNREAD)
    assert (unread_fields(SHAPE, PARTLY), unread_fields(SHAPE, GOOD_ROW), unread_fields(SHAPE, {})) == (
        read.unread,
        (),
        (),
    )
    assert read_record(SHAPE, {}) == InvalidRecord(None, "id: missing", {})
    assert read_what_is_there(SHAPE, {"id": "x", "sku": "A"}) == Variant(sku="A")
