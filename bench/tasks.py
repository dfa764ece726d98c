"""What a clerk's questions cost a model: calls, bytes in and out, tokens and requests, counted exactly.

`tasks.toml` holds the questions. A new sandbox is asked all of them, in order, on a clock that is moved by hand.
`python -m bench.tasks` prints the table.
"""

import asyncio
import json
import logging
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import cast

import structlog

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, payload_of, staged, text_of
from katana_mcp.testing.idle_loop import IdleLoop
from katana_sandbox import ManualClock, Sandbox

TASKS = Path(__file__).with_name("tasks.toml")
BYTES_OF_TOKEN = 4
FEW_CALLS = 3
A_MINUTE = 61
"""Seconds after which a minute's requests are there again."""

type Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Task:
    """A question, the calls that follow from it, and where in the last answer its truth stands."""

    ask: str
    calls: tuple[tuple[str, Arguments], ...]
    right: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a task took, and what of its truth was not in the answer, by place.

    Attributes:
        sent: Bytes of the arguments, as the model writes them.
        answered: Bytes of the answers' texts, as the model reads them.
        requests: That Katana was asked.
        wrong: What stands there instead.
    """

    task: Task
    sent: int
    answered: int
    requests: int
    wrong: Mapping[str, object]

    @property
    def tokens(self) -> int:
        """Of the answers, four bytes each."""
        return self.answered // BYTES_OF_TOKEN


def read_tasks() -> list[Task]:
    """Return all tasks, in the order in which they are asked."""
    rows = cast("list[dict[str, object]]", tomllib.loads(TASKS.read_text("utf-8"))["task"])
    return [
        Task(
            ask=str(row["ask"]),
            calls=tuple(next(iter(call.items())) for call in cast("list[dict[str, Arguments]]", row["calls"])),
            right=cast("dict[str, object]", row["right"]),
        )
        for row in rows
    ]


async def costs(tasks: Iterable[Task]) -> list[Cost]:
    """Return what each task takes of the default surface. A refusal is an answer too: it is read and paid for."""
    clock, found = ManualClock(auto=False), list[Cost]()
    async with staged(OwnSandbox(Sandbox(clock=clock)), Setup(flags={"toolsets": ()})) as stage:
        for task in tasks:
            clock.advance(A_MINUTE)
            found.append(await _cost(stage, task))
    return found


async def _cost(stage: Stage, task: Task) -> Cost:
    before, sent, answered, answers = stage.requests(), 0, 0, list[object]()
    for tool, arguments in task.calls:
        given = cast("Arguments", _given(arguments, answers))
        result = await stage.result(tool, given)
        sent += len(json.dumps({"name": tool, "arguments": given}, ensure_ascii=False, separators=(",", ":")).encode())
        answered += len(text_of(result).encode())
        answers.append(payload_of(result))
    found = {place: value_at(answers[-1], place) for place in task.right}
    wrong = {place: value for place, value in found.items() if value != task.right[place]}
    return Cost(task, sent, answered, stage.requests() - before, wrong)


def _given(value: object, answers: list[object]) -> object:
    """Return arguments in which the values of earlier answers stand."""
    if isinstance(value, dict):
        return {name: _given(argument, answers) for name, argument in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_given(element, answers) for element in cast("list[object]", value)]
    if isinstance(value, str) and value.startswith("$"):
        call, _, place = value[1:].partition(".")
        return value_at(answers[int(call)], place)
    return value


def value_at(answer: object, place: str) -> object:
    """Return what stands at a place of an answer, `rows.0.sku`, or None; `#` is how many there are."""
    for step in place.split("."):
        if isinstance(answer, list):
            rows = cast("list[object]", answer)
            answer = len(rows) if step == "#" else rows[int(step)] if int(step) < len(rows) else None
        else:
            answer = cast("dict[str, object]", answer).get(step) if isinstance(answer, dict) else None
    return answer


def as_table(found: Iterable[Cost]) -> str:
    """Return a Markdown table of all tasks, dearest first, below what they come to."""
    paid = sorted(found, key=lambda cost: -cost.answered)
    right = sum(not cost.wrong for cost in paid)
    few = sum(len(cost.task.calls) <= FEW_CALLS for cost in paid)
    tokens = [cost.tokens for cost in paid]
    said = f"{right} of {len(paid)} are answered right, {few} of them in {FEW_CALLS} calls at most"
    lines = [
        f"{said}; the median of the answers is {median(tokens):,.0f} tokens, the sum {sum(tokens):,}.",
        "",
        "| question | calls | bytes in | bytes out | tokens out | requests |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for cost in paid:
        numbers = (len(cost.task.calls), cost.sent, cost.answered, cost.tokens, cost.requests)
        lines.append(f"| {cost.task.ask} | {' | '.join(f'{number:,}' for number in numbers)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    sys.stdout.write(as_table(asyncio.run(costs(read_tasks()), loop_factory=IdleLoop)))
