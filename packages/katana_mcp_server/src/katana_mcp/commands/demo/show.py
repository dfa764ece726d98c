"""Runs the session and prints it; the exit code says whether every step was right."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.progress import ProgressHandler
from fastmcp.client.transports import StdioTransport

from katana_mcp.commands import first_sync
from katana_mcp.commands.demo.hosts import CONNECT
from katana_mcp.commands.demo.step import Answer, Chapter, Step
from katana_mcp.configuration.logs import takes_color
from katana_mcp.configuration.sandbox import ServedSandbox, served
from katana_mcp.server.mcp.finder import CALL
from katana_mcp.tools.answers import so_many


@dataclass(slots=True)
class Screen:
    """Where the session is shown: plain lines, coloured where that helps."""

    color: bool
    write: Callable[[str], object] = field(default=sys.stdout.write)
    flush: Callable[[], object] = field(default=sys.stdout.flush)

    def line(self, text: str = "", style: str = "") -> None:
        """Write one line, in an ANSI style such as `1` (bold) or `32` (green) where colours are on."""
        self.write(f"\033[{style}m{text}\033[0m\n" if self.color and style else f"{text}\n")
        self.flush()


async def run(chapters: Sequence[Chapter], *, color: bool) -> int:
    """Show chapters one after the other, in colour where that is wanted.

    Returns:
        0 when every step was right, 1 when one was not, 128 and the number of a signal that ended it.
    """
    showing = asyncio.ensure_future(_print_chapters(chapters, color=color))
    received: list[int] = []

    def end(number: int) -> None:
        if not received:  # a second one would break off the clearing up
            showing.cancel()
        received.append(number)

    for number in (candidate for candidate in _ENDING if signal.getsignal(candidate) is signal.SIG_DFL):
        with contextlib.suppress(NotImplementedError):  # no such handlers on Windows
            asyncio.get_running_loop().add_signal_handler(number, end, number)
    try:
        return await showing
    except asyncio.CancelledError:
        if not received:
            raise
        return 128 + received[0]


_ENDING = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else (signal.SIGTERM,)
"""Signals that end the session; Windows has no SIGHUP."""


async def _print_chapters(chapters: Sequence[Chapter], *, color: bool) -> int:
    screen = Screen(color and takes_color(sys.stdout, os.environ))
    screen.line("Katana MCP: the main job, on invented data", "1")
    wrong = 0
    for chapter in chapters:
        screen.line()
        screen.line(chapter.title, "1;4")
        with tempfile.TemporaryDirectory(prefix="katana-demo-") as directory:
            async with served() as sandbox:
                screen.line(f"sandbox at {sandbox.url}: {sandbox.records()}")
                wrong += await _session(screen, sandbox, Path(directory), chapter)
    screen.line()
    screen.line(CONNECT.format(command=Path(sys.executable).with_name("katana-mcp")))
    screen.line()
    steps = sum(len(chapter.steps) for chapter in chapters)
    screen.line(
        "every step was right" if not wrong else f"{wrong} of {steps} steps went wrong", "32" if not wrong else "31"
    )
    return 1 if wrong else 0


@dataclass(frozen=True, slots=True)
class _Session:
    """The client, what it is connected to, the tools that are listed to it, and what was answered so far."""

    client: Client[Any]
    sandbox: ServedSandbox
    listed: Collection[str]
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])


async def _session(screen: Screen, sandbox: ServedSandbox, directory: Path, chapter: Chapter) -> int:
    transport = StdioTransport(
        command=sys.executable,
        args=["-m", "katana_mcp", "serve", "--sandbox", "--base-url", sandbox.url, "--cache-dir", str(directory)],
        env=environment(color=screen.color) | {"KATANA_API_KEY": sandbox.api_key, "KATANA_MCP_LOG_LEVEL": "WARNING"},
        cwd=str(directory),  # a `.env` of the directory in which the demo runs is for the real account
    )
    started = time.monotonic()
    async with Client(transport, init_timeout=60) as client:
        tools = await client.list_tools()
        screen.line(f"server up in {time.monotonic() - started:.1f} s: {len(tools)} tools listed")
        session = _Session(client, sandbox, frozenset(tool.name for tool in tools))
        wrong = 0
        for step in chapter.steps:
            wrong += not await _step(screen, session, step)
        return wrong


def environment(*, color: bool) -> dict[str, str]:
    """Return what the server is told: the cache flags, as the demo runs in every flag state, and to log as plainly."""
    flags = {name: value for name, value in os.environ.items() if name.startswith("KATANA_CACHE_BACKEND")}
    return flags if color else flags | {"NO_COLOR": "1"}


def requests(count: int) -> str:
    """Return so many requests in words."""
    return so_many(count, "API request")


async def _step(screen: Screen, session: _Session, step: Step) -> bool:
    answers, sandbox = session.answers, session.sandbox
    screen.line()
    screen.line(step.title, "1")
    try:
        arguments = step.arguments(answers)
    except LookupError:
        screen.line("  wrong: an earlier answer that this step needs is missing", "31")
        return False
    shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    screen.line(f"> {step.tool}" if step.kind == "resource" else f"> {step.tool}({shown})", "36")

    asked, started = sandbox.requests(), time.monotonic()
    answer, failed = await _answered(screen, session, step, arguments)
    seconds = time.monotonic() - started
    if failed is not step.may_fail:
        screen.line(f"  wrong: {answer}", "31")
        return False
    earlier, answers[step.tool] = answers.get(step.tool), answer
    for line in step.lines(answer):
        screen.line(f"  {line}")
    count = sandbox.requests() - asked
    screen.line(f"  {requests(count)}, {1000 * seconds:.0f} ms", "2")
    wrong = step.wrong(answer)
    if step.repeats and (earlier is None or answer["outcomes"] != earlier["outcomes"] or count):
        wrong = "the outcome is another one, or Katana was asked again"
    if wrong:
        screen.line(f"  wrong: {wrong}", "31")
    return not wrong


async def _answered(screen: Screen, session: _Session, step: Step, arguments: dict[str, object]) -> tuple[Answer, bool]:
    """Return the answer, and whether it is an error; it is asked for again while the first sync goes on."""

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        del progress, total
        screen.line(f"  {message}", "2")

    answer, failed = await first_sync.complete(
        lambda: _call_step(session, step, arguments, on_progress),
        lambda asked: first_sync.unfinished(asked[0]),
        lambda reached: screen.line(f"  the first sync goes on, {reached}: asked again", "2"),
    )
    if first_sync.unfinished(answer) is None:
        return answer, failed
    return {"message": f"the first sync takes longer than {first_sync.PATIENCE:.0f} s"}, not step.may_fail


async def _call_step(
    session: _Session, step: Step, arguments: dict[str, object], on_progress: ProgressHandler
) -> tuple[Answer, bool]:
    """Return the answer, and whether it is an error; what is not listed is called as an assistant does."""
    client, tool = session.client, step.tool
    if step.kind == "resource":
        (page,) = await client.read_resource(step.tool)
        return json.loads(getattr(page, "text", "{}")), False
    if step.kind == "prompt":
        prompt = await client.get_prompt(step.tool, arguments)
        return {"text": getattr(prompt.messages[0].content, "text", "")}, False
    if tool not in session.listed:
        arguments = {"name": tool, "arguments": arguments}
    result = await client.call_tool(
        tool if tool in session.listed else CALL, arguments, raise_on_error=False, progress_handler=on_progress
    )
    (content,) = result.content
    return json.loads(getattr(content, "text", "{}")), result.is_error
