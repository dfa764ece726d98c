"""A server on a sandbox with an MCP client in front of it: one process, no sockets, time moved by hand."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from fastmcp import Client
from fastmcp.client.client import CallToolResult

from cache_core.clock import Clock
from cache_core.compared import Comparison, Recorder
from katana_mcp.caches.stores import PARTS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.server.application import application
from katana_mcp.server.wiring import Environment
from katana_mcp.testing.idle_loop import IdleLoop

type Payload = dict[str, Any]
"""What an answer or a refusal holds."""
type Answers = Callable[[str, Any, Any, Any], Awaitable[Any]]
"""How a client answers a question of the server: by its text, and what FastMCP hands over with it."""

_OTHERS = 0.05
"""Real seconds after which it is seen again what came from outside of the loop: from another process, a real timer."""

_LONGEST = 125.0
"""Virtual seconds that a call waits at most."""


class MovedClock(Clock, Protocol):
    """A clock that a test can move."""

    def advance(self, seconds: float) -> None:
        """Move time forward."""
        ...


@runtime_checkable
class SteppedClock(MovedClock, Protocol):
    """A clock that tells when the next sleeper wakes."""

    def due(self) -> float | None:
        """Return in how many seconds that is, or None when nobody sleeps."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a server under test differs from the usual one.

    Attributes:
        cache_dir: keeps the cache in files below this directory instead of in memory.
        api_key: another key than the sandbox's default one.
        era: how the client negotiates the protocol.
        flags: further settings.
        person: answers what the server asks; without one the client cannot be asked.
        recorder: where the comparisons of a parallel run go; in memory, a difference fails the test by default.
    """

    cache_dir: Path | None = None
    api_key: str | None = None
    era: Literal["auto", "legacy"] = "auto"
    flags: Mapping[str, object] = field(default_factory=dict[str, object])
    person: Answers | None = None
    recorder: Recorder | None = None


@dataclass(frozen=True, slots=True)
class Differences:
    """Keeps what a parallel run answered differently, and what its trial raised."""

    found: list[Comparison] = field(default_factory=list[Comparison])

    def record(self, comparison: Comparison) -> None:
        """Keep the comparison if the sides differ."""
        if comparison.mismatch or comparison.error:
            self.found.append(comparison)


@dataclass(frozen=True, slots=True)
class Stage:
    """A connected client, and the sandbox behind its server."""

    client: Client[Any]
    own: OwnSandbox

    async def result(self, tool: str, arguments: Mapping[str, object]) -> CallToolResult:
        """Return what the tool gave, refusal or answer."""
        return await unstuck(self.own.sandbox.clock, self.client.call_tool(tool, dict(arguments), raise_on_error=False))

    async def call(self, tool: str, **arguments: object) -> Payload:
        """Return the answer of a tool; AssertionError when it was refused."""
        result = await self.result(tool, arguments)
        assert not result.is_error, text_of(result)
        return payload_of(result)

    async def refusal(self, tool: str, **arguments: object) -> Payload:
        """Return the refusal of a tool; AssertionError when it answered."""
        result = await self.result(tool, arguments)
        assert result.is_error, text_of(result)
        return payload_of(result)

    async def read(self, uri: str) -> str:
        """Return the text of a resource."""
        (content,) = await self.client.read_resource(uri)
        return getattr(content, "text", "")

    def requests(self) -> int:
        """Return how many requests Katana has seen so far."""
        return len(self.own.sandbox.journal)


def text_of(result: CallToolResult) -> str:
    """Return the text content of a result."""
    (content,) = result.content
    return getattr(content, "text", "")


def payload_of(result: CallToolResult) -> Payload:
    """Return what a result holds: an answer's structured content, or a refusal's text, which has no other form."""
    return json.loads(text_of(result)) if result.is_error else result.structured_content or {}


@asynccontextmanager
async def staged(own: OwnSandbox, setup: Setup | None = None) -> AsyncGenerator[Stage]:
    """Start a server of every tool on the sandbox, on the sandbox's clock, and connect a client.

    Raises:
        AssertionError: at the end, when the sides of a parallel run in memory differed and no recorder was given.
    """
    chosen = setup or Setup()
    differences = Differences()
    # Imported before time is moved by hand: on a loaded machine the import alone would let virtual seconds pass.
    PARTS.stores(None, ())
    flags: dict[str, object] = {
        "sandbox": True,
        "api_key": chosen.api_key or own.api_key,
        "cache_dir": chosen.cache_dir,
        "sync": "lazy",
        "toolsets": () if "tools" in chosen.flags else ("all",),
    }
    settings = load(**(flags | dict(chosen.flags)))
    outside = Environment(
        transport=own.transport(),
        clock=own.sandbox.clock,
        in_memory=chosen.cache_dir is None,
        recorder=chosen.recorder or (differences if chosen.cache_dir is None else None),
    )
    async with Client(application(settings, outside), mode=chosen.era, elicitation_handler=chosen.person) as client:
        yield Stage(client, own)
    assert differences.found == [], differences.found


async def paced[T](clock: MovedClock, work: Awaitable[T], step: float = 0.1) -> T:
    """Return what the work gives, letting virtual time pass in small steps whenever it waits."""
    task = asyncio.ensure_future(work)
    try:
        while not await ends(task):
            clock.advance(step)
        return await task
    finally:
        task.cancel()


async def within[T](clock: SteppedClock, seconds: float, work: Awaitable[T]) -> T:
    """Return what the work gives; time goes from sleeper to sleeper, and no farther than this.

    Raises:
        TimeoutError: it waits for more time to pass.
    """
    task = asyncio.ensure_future(work)
    end = clock.monotonic() + seconds + 1e-6
    try:
        while not await ends(task):
            if not await _moved(clock, end, task):
                raise TimeoutError
        return await task
    finally:
        task.cancel()


async def ends(task: "asyncio.Future[Any]", *, last: bool = False) -> bool:
    """Return whether it ended, once it did or nothing is left to do but to wait; see `IdleLoop.idle`."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, IdleLoop), "run it with asyncio.run(..., loop_factory=IdleLoop)"
    idle = loop.idle(last=last)
    try:
        await asyncio.wait({task, idle}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        idle.cancel()
    return task.done()


async def unstuck[T](clock: object, work: Coroutine[Any, Any, T]) -> T:
    """Return what the work gives; time passes only where it waits for time and nobody else moves the clock.

    A test of many calls on a clock that stands still uses up the requests that Katana allows in a minute.
    """
    if not isinstance(clock, SteppedClock) or not isinstance(asyncio.get_running_loop(), IdleLoop):
        return await work
    task, end = asyncio.ensure_future(work), clock.monotonic() + _LONGEST
    try:
        while not await ends(task, last=True):
            await _moved(clock, end, task)
        return await task
    finally:
        task.cancel()


async def _moved(clock: SteppedClock, end: float, task: "asyncio.Future[Any]") -> bool:
    """Move time on to the next sleeper, or return that it wakes too late; where nobody sleeps, let others go on."""
    due = clock.due()
    if due is not None and clock.monotonic() + due <= end:
        clock.advance(due)
        return True
    await asyncio.wait({task}, timeout=_OTHERS)
    return due is None
