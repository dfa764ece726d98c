"""An application called in place of the network, and where the reading of a too long body ends."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import override

import httpx
import pytest

from katana_client import transport as seam
from katana_client.exchange import Call, Reply
from katana_client.transport import HttpWire, in_process

type Message = MutableMapping[str, object]
REQUEST = httpx.Request("GET", "https://x.example/v1/variants")


class Broken(Exception):
    """The connection broke."""


class Hung(Exception):
    """Nobody answered."""


def failing(error: Exception | None) -> httpx.AsyncBaseTransport:
    """Return the way to an application that answers, or fails with an error where one is given."""

    async def app(
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if error is not None:
            raise error
        await send(
            {"type": "http.response.start", "status": 201, "headers": [(b"x-path", str(scope["path"]).encode())]}
        )
        await send({"type": "http.response.body", "body": b"[1]"})

    return in_process(app, dropped=(Broken,), hung=(Hung,))


async def test_an_application_answers_in_place_of_the_network() -> None:
    wire = HttpWire("secret", "https://x.example/v1", failing(None))
    assert await wire.exchange(Call("GET", "/variants"), None) == Reply(201, {"x-path": "/v1/variants"}, b"[1]")


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [(Broken(), httpx.ReadError, "the connection broke"), (Hung(), httpx.ReadTimeout, "no answer in time")],
    ids=["broken", "hung"],
)
async def test_an_application_that_gives_up_looks_like_a_network_that_does(
    error: Exception, kind: type[httpx.TransportError], text: str
) -> None:
    with pytest.raises(kind) as raised:
        await failing(error).handle_async_request(REQUEST)
    assert (str(raised.value), raised.value.request) == (text, REQUEST)
    assert raised.value.__cause__ is None


async def test_any_other_error_of_an_application_is_its_own() -> None:
    error = LookupError("a fault")
    with pytest.raises(LookupError) as raised:
        await failing(error).handle_async_request(REQUEST)
    assert raised.value is error


class Counted(httpx.AsyncByteStream):
    """A body that counts the chunks it was asked for."""

    def __init__(self, *chunks: bytes) -> None:
        """Begin with none."""
        self._chunks = chunks
        self.given = 0

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            self.given += 1
            yield chunk


@pytest.mark.parametrize(
    ("chunks", "given", "body", "complete"),
    [
        ([b"abcd"], 1, b"abcd", True),
        ([b"abcde"], 1, b"abcd", False),
        ([b"ab", b"cde"], 2, b"abcd", False),
        ([b"ab", b"cde", b"f", b"g"], 2, b"abcd", False),
    ],
    ids=["as long as allowed", "one too long", "one too long in two", "far too long"],
)
async def test_a_body_is_read_until_it_is_too_long_and_no_further(
    monkeypatch: pytest.MonkeyPatch, chunks: list[bytes], given: int, body: bytes, *, complete: bool
) -> None:
    monkeypatch.setattr(seam, "MAX_BODY", 4)
    stream = Counted(*chunks)
    network = httpx.MockTransport(lambda _: httpx.Response(200, stream=stream))
    reply = await HttpWire("secret", "https://x.example", network).exchange(Call("GET", "/a"), None)
    assert (reply, stream.given) == (Reply(200, {}, body, complete), given)
