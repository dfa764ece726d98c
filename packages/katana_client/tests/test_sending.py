"""What is retried, what never is, and what the caller is told."""

import asyncio
import random
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from katana_client import Call, Patience, Reply, RequestRecord, SlidingWindowBudget
from katana_client.clock import ManualClock
from katana_client.errors import (
    CallError,
    KatanaUnavailable,
    OutcomeUnknown,
    RateLimited,
    RequestRejected,
    UnclearWrite,
    UnexpectedResponse,
)
from katana_client.exchange import ExchangeFailed
from katana_client.sending import Sender, Surroundings
from katana_client.testing import FakeClient, reply

READ = Call("GET", "/variants")
WRITES = [
    Call("POST", "/variants", (), {"sku": "x"}),
    Call("PATCH", "/variants/1", (), {"sku": "x"}),
    Call("DELETE", "/variants/1"),
]
ALL = [READ, *WRITES]
GOOD = reply({"data": []})
type Step = Reply | ExchangeFailed


def script(*steps: Step) -> Callable[[Call], Reply]:
    remaining: Iterator[Step] = iter(steps)

    def handler(call: Call) -> Reply:
        step = next(remaining)
        if isinstance(step, ExchangeFailed):
            raise step
        return step

    return handler


def lost() -> ExchangeFailed:
    return ExchangeFailed("ReadTimeout", sent=True)


def refused() -> ExchangeFailed:
    return ExchangeFailed("ConnectError", sent=False)


@pytest.mark.parametrize("call", ALL, ids=lambda call: call.method)
@pytest.mark.parametrize(
    ("headers", "waits"),
    [({"retry-after": "15"}, [15, 15, 15]), ({}, [1, 2, 4]), ({"retry-after": "x"}, [1, 2, 4])],
)
async def test_429_is_retried_for_every_method_as_long_as_told(
    call: Call, headers: dict[str, str], waits: list[int]
) -> None:
    busy = reply({"error": {"message": "Too Many Requests"}}, 429, headers)
    client = FakeClient(script(busy, busy, busy, GOOD))
    answer = await client.sender.send(call)
    assert answer.value == {"data": []}
    assert client.clock.monotonic() == pytest.approx(sum(waits))
    assert [(record.status, record.attempt) for record in client.records] == [
        (429, 1),
        (429, 2),
        (429, 3),
        (200, 4),
    ]


@pytest.mark.parametrize("call", ALL, ids=lambda call: call.method)
async def test_an_endless_429_ends_within_the_time_budget(call: Call) -> None:
    client = FakeClient(lambda call: reply({"message": "slow down"}, 429, {"retry-after": "3600"}))
    with pytest.raises(RateLimited, match=r"429 slow down \(retry after 65 s\)") as caught:
        await client.sender.send(call)
    assert caught.value.retry_after == 65.0
    assert (client.clock.monotonic(), len(client.wire.calls)) == (130, 3)


@pytest.mark.parametrize("fault", [reply(b"", status) for status in (500, 502, 503, 504, 408)] + [lost()], ids=str)
async def test_a_broken_read_is_retried(fault: Step) -> None:
    client = FakeClient(script(fault, fault, GOOD))
    await client.sender.send(READ)
    assert len(client.wire.calls) == 3


@pytest.mark.parametrize("call", WRITES, ids=lambda call: call.method)
@pytest.mark.parametrize(
    "fault", [reply(b"<h1>Bad</h1>", status) for status in (500, 502, 503, 504, 408)] + [lost()], ids=str
)
async def test_a_write_whose_answer_is_lost_is_never_sent_again(call: Call, fault: Step) -> None:
    client = FakeClient(script(fault))
    with pytest.raises(OutcomeUnknown) as caught:
        await client.sender.send(call)
    assert len(client.wire.calls) == 1
    assert str(caught.value).startswith(f"{call.method} {call.path}: ")


@pytest.mark.parametrize("call", ALL, ids=lambda call: call.method)
async def test_what_was_not_sent_is_sent_again(call: Call) -> None:
    client = FakeClient(script(refused(), refused(), GOOD))
    await client.sender.send(call)
    assert [record.outcome for record in client.records] == ["not_sent", "not_sent", "answered"]


@pytest.mark.parametrize("call", ALL, ids=lambda call: call.method)
async def test_a_server_that_is_never_reached_is_unavailable(call: Call) -> None:
    client = FakeClient(script(*(refused() for _ in range(5))))
    with pytest.raises(KatanaUnavailable, match="not sent: ConnectError"):
        await client.sender.send(call)


async def test_whether_a_write_is_retried_depends_on_its_own_last_failure() -> None:
    client = FakeClient(script(refused(), lost()))
    with pytest.raises(OutcomeUnknown):
        await client.sender.send(WRITES[0])
    assert len(client.wire.calls) == 2


@pytest.mark.parametrize("status", [400, 403, 404, 409, 412, 422])
@pytest.mark.parametrize("call", ALL, ids=lambda call: call.method)
async def test_a_refusal_is_final(call: Call, status: int) -> None:
    client = FakeClient(lambda call: reply({"error": {"message": "no"}}, status))
    with pytest.raises(RequestRejected, match=f"{call.method} {call.path}: {status} no"):
        await client.sender.send(call)
    assert len(client.wire.calls) == 1


FOREIGN = [
    b"",
    b"null",
    b"Forbidden",
    b"<html><title>403 Forbidden</title></html>",
    b'{"message": "Forbidden"}',
    b'{"error": "Forbidden"}',
    b'{"error": {"code": 403, "message": "Forbidden"}}',
    b'{"statusCode": 500, "message": "another status"}',
    b'[{"error": {"message": "no"}}]',
    b'{"error": {"statusCode": 403, "message": "cut o',
]
"""What stands between us and Katana may answer with a status of refusals."""


@pytest.mark.parametrize("body", FOREIGN)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_that_is_not_katanas_own_says_nothing_of_a_write(status: int, body: bytes) -> None:
    for call in WRITES:
        client = FakeClient(lambda call: reply(body, status))
        with pytest.raises(UnclearWrite, match=f"{call.method} {call.path}: {status} the outcome is unknown"):
            await client.sender.send(call)
        assert len(client.wire.calls) == 1
    client = FakeClient(lambda call: reply(body, status))
    with pytest.raises(RequestRejected):
        await client.sender.send(READ)


@pytest.mark.parametrize("status", [400, 403, 404, 412, 422])
async def test_a_bare_refusal_of_katana_is_its_own(status: int) -> None:
    client = FakeClient(lambda call: reply({"statusCode": status, "name": "AnyError", "message": "no"}, status))
    with pytest.raises(RequestRejected):
        await client.sender.send(WRITES[0])


@pytest.mark.parametrize("status", [100, 204 + 100, 301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed_and_of_a_write_says_nothing(status: int) -> None:
    moved = reply(b"", status, {"location": "https://evil.example/"})
    for call, kind in ((READ, UnexpectedResponse), (WRITES[0], UnclearWrite)):
        client = FakeClient(script(moved))
        with pytest.raises(kind):
            await client.sender.send(call)
    assert issubclass(UnclearWrite, OutcomeUnknown)


@pytest.mark.parametrize("status", [200, 201, 202, 204])
@pytest.mark.parametrize("call", WRITES, ids=lambda call: call.method)
@pytest.mark.parametrize("body", [b"", b"<html>", b'{"id":', b"\xff"])
async def test_any_2xx_of_a_write_is_a_success(call: Call, status: int, body: bytes) -> None:
    client = FakeClient(script(reply(body, status)))
    answer = await client.sender.send(call)
    assert not answer.readable
    assert client.records[0].outcome == "answered"


async def test_a_write_whose_body_breaks_off_after_a_2xx_is_a_success() -> None:
    client = FakeClient(script(Reply(200, {}, b'{"id":1}', complete=False)))
    assert not (await client.sender.send(WRITES[0])).readable


async def test_a_read_with_an_unreadable_body_is_read_again_and_in_the_end_unexpected() -> None:
    client = FakeClient(script(reply(b'{"data":['), Reply(200, {}, b'{"data":[]}', complete=False), GOOD))
    assert (await client.sender.send(READ)).value == {"data": []}
    broken = FakeClient(lambda call: reply(b"<html>"))
    with pytest.raises(UnexpectedResponse, match="not JSON"):
        await broken.sender.send(READ)
    assert [record.outcome for record in broken.records] == ["unreadable"] * 5


@pytest.mark.parametrize("call", ALL, ids=lambda call: call.method)
async def test_what_is_no_success_and_no_refusal_is_an_answer_all_the_same(call: Call) -> None:
    client = FakeClient(script(reply(b"", 300)))
    with pytest.raises(UnclearWrite if call.writes else UnexpectedResponse, match="neither success nor refusal"):
        await client.sender.send(call)
    assert [(record.status, record.outcome) for record in client.records] == [(300, "answered")]


async def test_a_write_cancelled_under_way_is_recorded_as_unknown() -> None:
    class Hanging:
        async def exchange(self, call: Call, content: bytes | None) -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

        async def aclose(self) -> None: ...

    records: list[RequestRecord] = []
    clock = ManualClock()
    sender = Sender(Surroundings(Hanging(), SlidingWindowBudget(clock), clock, records.append))
    for call in ALL:
        task = asyncio.create_task(sender.send(call))
        await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [record.outcome for record in records] == ["no_answer", "unknown", "unknown", "unknown"]


async def test_a_failing_observer_does_not_make_a_write_look_failed() -> None:
    def observer(record: RequestRecord) -> None:
        raise LookupError(record.path)

    clock = ManualClock()
    wire = FakeClient(script(reply({"id": 1}))).wire
    sender = Sender(Surroundings(wire, SlidingWindowBudget(clock), clock, observer))
    assert (await sender.send(WRITES[0])).value == {"id": 1}


async def test_a_body_without_json_form_is_refused_before_anything_is_counted() -> None:
    client = FakeClient(script())
    with pytest.raises(ValueError, match="naive"):
        await client.sender.send(Call("POST", "/variants", (), {"at": datetime(2026, 1, 1)}))  # noqa: DTZ001 - naive on purpose
    assert client.records == []


def play(step: Step) -> Reply:
    if isinstance(step, ExchangeFailed):
        raise step
    return step


@pytest.mark.parametrize("runs", [50, pytest.param(2_000, marks=pytest.mark.soak)])
async def test_no_random_fault_makes_a_second_object(runs: int) -> None:
    chance = random.Random(7)
    busy = reply(b"", 429, {"retry-after": "1"})
    for _ in range(runs):
        made: list[str] = []

        def handler(call: Call, made: list[str] = made) -> Reply:
            before = chance.choice([None, None, refused(), busy, lost(), reply(b"", 503)])
            if before is not None:
                return play(before)
            made.append(call.path)
            return play(chance.choice([reply({"id": 1}), reply(b'{"id":'), reply(b"", 502), lost()]))

        error = await outcome(FakeClient(handler))
        expected: dict[type[CallError] | None, tuple[int, ...]] = {
            OutcomeUnknown: (0, 1),
            KatanaUnavailable: (0,),
            RateLimited: (0,),
            None: (1,),
        }
        assert len(made) in expected[error]


async def outcome(client: FakeClient) -> type[CallError] | None:
    try:
        await client.sender.send(WRITES[0])
    except CallError as error:
        return type(error)
    return None


def test_patience_is_data() -> None:
    assert Patience(tries=1) == Patience(1, 150.0, 1.0)
