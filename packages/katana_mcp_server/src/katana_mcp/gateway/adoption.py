"""Output schemas follow their servers by themselves: a new one is tried first, and taken after one answer that fits.

Words, inputs and annotations never are: a changed description is a text that a model obeys.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from katana_mcp.gateway.schemas import ANYTHING, Json, digest, problem

type Outcome = Literal["offered", "withdrawn", "valid", "failed"]
type Level = Literal["new", "current", "previous", "generic"]

_MOST_FAILURES = 2


@dataclass(frozen=True, slots=True)
class Output:
    """The output schema of one tool.

    Attributes:
        current: what is served.
        previous: what was served before it.
        pending: what its server says now, where that is another one.
        failures: answers that did not fit the pending one.
    """

    current: Json
    previous: Json | None = None
    pending: Json | None = None
    failures: int = 0

    @property
    def is_stuck(self) -> bool:
        """Whether the pending one was given up: somebody has to look."""
        return self.pending is not None and self.failures >= _MOST_FAILURES


@dataclass(frozen=True, slots=True)
class Attempt:
    """What happened to an output schema; a line of the log.

    Attributes:
        tool: as `server.tool`.
        outcome: `offered` when a server changed it, `valid` and `failed` by an answer.
        pinned: hash of the adopted one; lines of another one count no more.
        schema: what was offered.
        why: what did not fit.
    """

    tool: str
    outcome: Outcome
    pinned: str
    schema: Json | None = None
    why: str = ""


def replayed(attempts: Iterable[Attempt], pinned: Mapping[str, Json]) -> dict[str, Output]:
    """Return where each tool's output schema stands after all that happened."""
    outputs = {target: Output(schema) for target, schema in pinned.items()}
    for attempt in attempts:
        if attempt.tool in outputs and attempt.pinned == digest(pinned[attempt.tool]):
            outputs[attempt.tool] = _after(outputs[attempt.tool], attempt)
    return outputs


def _after(output: Output, attempt: Attempt) -> Output:
    match attempt.outcome:
        case "offered":
            return replace(output, pending=attempt.schema, failures=0)
        case "withdrawn":
            return replace(output, pending=None, failures=0)
        case "valid" if output.pending is not None:
            return Output(output.pending, previous=output.current)
        case _:
            return replace(output, failures=output.failures + 1)


def seen(target: str, output: Output, pinned: Json, now: Json) -> Attempt | None:
    """Return what it means that a server says this output schema now; None where that is known."""
    if digest(now) == digest(output.current):
        return None if output.pending is None else Attempt(target, "withdrawn", digest(pinned))
    if output.pending is not None and digest(output.pending) == digest(now):
        return None
    return Attempt(target, "offered", digest(pinned), now)


def judged(target: str, output: Output, pinned: Json, answer: Json | None) -> tuple[Attempt | None, Level]:
    """Return what an answer says of a pending schema, and by which schema it is taken: new, current, previous, any."""
    attempt = None
    if output.pending is not None and not output.is_stuck:
        why = misfit(answer, output.pending)
        attempt = Attempt(target, "failed" if why else "valid", digest(pinned), why=why or "")
        if not why:
            return attempt, "new"
    if not misfit(answer, output.current):
        return attempt, "current"
    return attempt, "generic" if output.previous is None or misfit(answer, output.previous) else "previous"


def misfit(answer: Mapping[str, Any] | None, schema: Json) -> str | None:
    """Return why an answer does not fit; None where it does."""
    if schema == ANYTHING:
        return None
    return "no structured content" if answer is None else problem(dict(answer), schema)
