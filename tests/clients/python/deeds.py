"""What the drivers of both Python SDKs share: lines in, lines out, one call at a time, and a way to cancel it.

It runs in an environment with nothing but the SDK.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Protocol

type Wire = Mapping[str, object]


class Elicited(Protocol):
    """A question to the person, as either SDK has it."""

    message: str


class Deeds:
    """A session that is told line by line what to do: {"id", "do", …} in, {"id", …} out.

    Attributes:
        answer: what the person says when asked.
        questions: what the person was asked during this call.
        progress: what was reported during this call.
    """

    def __init__(self) -> None:
        self.answer = "decline"
        self.questions: list[str] = []
        self.progress: list[tuple[float, float | None, str]] = []
        self._running: asyncio.Task[object] | None = None

    async def reported(self, progress: float, total: float | None, message: str | None) -> None:
        """Note a report."""
        self.progress.append((progress, total, message or ""))

    async def run(
        self,
        list_tools: Callable[[], Awaitable[list[str]]],
        call: Callable[[str, dict[str, object]], Awaitable[Wire]],
        cancelled: Callable[[], Awaitable[None]],
    ) -> None:
        """Do what the lines say until there are no more."""
        doing: set[asyncio.Task[None]] = set()
        deeds = {"list": list_tools, "call": call, "cancel": cancelled}
        async for command in _lines():
            task = asyncio.create_task(self._do(command, deeds))
            doing.add(task)
            task.add_done_callback(doing.discard)

    async def _do(self, command: Wire, deeds: Mapping[str, Callable[..., Awaitable[object]]]) -> None:
        seen: dict[str, object] = {"id": command["id"]}
        try:
            if command["do"] == "list":
                seen["tools"] = await deeds["list"]()
            elif command["do"] == "call":
                seen |= await self._call(command, deeds["call"])
            elif command["do"] == "cancel" and self._running is not None:
                await deeds["cancel"]()
                self._running.cancel()
        except Exception as error:  # noqa: BLE001 - what a client raises is what is looked at
            seen["thrown"] = f"{type(error).__name__}: {error}"
        sys.stdout.write(json.dumps(seen) + "\n")
        sys.stdout.flush()

    async def _call(self, command: Wire, call: Callable[..., Awaitable[object]]) -> dict[str, object]:
        self.answer, self.questions, self.progress = str(command.get("answer", "decline")), [], []
        self._running = asyncio.ensure_future(call(command["tool"], command["arguments"]))
        try:
            seen = await self._running
        except asyncio.CancelledError:
            seen = {"thrown": "CancelledError"}
        except Exception as error:  # noqa: BLE001 - what a client raises is what is looked at
            seen = {"thrown": f"{type(error).__name__}: {error}"}
        return {**seen, "questions": self.questions, "progress": self.progress}


async def _lines() -> AsyncIterator[Wire]:
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        if command["do"] == "connect":
            sys.stdout.write(json.dumps({"id": command["id"]}) + "\n")
            sys.stdout.flush()
        else:
            yield command


def seen_of(content: list[object], *, is_error: bool | None) -> Wire:
    """Return a tool's result as the driver tells it."""
    texts = [str(getattr(block, "text", "")) for block in content]
    return {"text": "\n".join(texts), "is_error": bool(is_error)}
