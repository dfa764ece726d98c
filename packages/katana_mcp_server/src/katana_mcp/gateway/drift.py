"""How what servers offer now differs from what was adopted, part by part, what breaks first."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from katana_mcp.gateway.gate import State
from katana_mcp.gateway.schemas import ANYTHING, Json, Part, digest, parts

type Kind = Literal["missing", "breaking", "words", "additive", "new"]

KINDS: tuple[Kind, ...] = ("missing", "breaking", "words", "additive", "new")
"""In the order in which differences are told."""
_SAFER = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known of a server.

    Attributes:
        state: whether it counts as there.
        reason: of the last failure.
        version: as it says itself.
        tools: its last listing, captured, by name; None before the first.
    """

    state: State = "starting"
    reason: str = ""
    version: str = ""
    tools: Mapping[str, Json] | None = None

    def without_tools(self) -> dict[str, str]:
        """Return how it stands."""
        fields = {"state": self.state, "reason": self.reason, "version": self.version}
        return {key: value for key, value in fields.items() if value}


UNSEEN = Observation()


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        target: the tool, as `server.tool`.
        part: of its descriptor; `tool` for all of it.
        kind: what it means for those who call it.
        reason: why it is missing.
        old: as it was adopted.
        new: as it is now.
    """

    target: str
    part: Part | Literal["tool"]
    kind: Kind
    reason: str = ""
    old: object = None
    new: object = None

    def as_dict(self) -> dict[str, object]:
        """Return it for programs."""
        fields = {"tool": self.target, "part": self.part, "kind": self.kind, "reason": self.reason}
        return {**fields, **({} if self.part == "tool" else {"old": self.old, "new": self.new})}


def ordered(changes: Iterable[Change]) -> list[Change]:
    """Return differences, what breaks first."""
    return sorted(changes, key=lambda change: (KINDS.index(change.kind), change.target, change.part))


def tool_changes(target: str, pinned: Json, seen: Observation) -> list[Change]:
    """Return how a tool differs from what was adopted; nothing before its server was asked."""
    if seen.state == "down":
        return [Change(target, "tool", "missing", f"{target.partition('.')[0]} is down: {seen.reason}")]
    if seen.tools is None:
        return []
    now = seen.tools.get(target.partition(".")[2])
    if now is None:
        return [Change(target, "tool", "missing", "its server no longer lists it")]
    before, after = parts(pinned), parts(now)
    return [
        Change(target, part, _kind(part, before[part], after[part]), "", before[part], after[part])
        for part in before
        if digest(before[part]) != digest(after[part])
    ]


def new_tools(server: str, pinned: Iterable[str], seen: Observation) -> Iterator[Change]:
    """Yield the tools of a server that nobody has adopted."""
    adopted = set(pinned)
    for name in seen.tools or {}:
        if f"{server}.{name}" not in adopted:
            yield Change(f"{server}.{name}", "tool", "new", "not adopted")


def _kind(part: Part, old: object, new: object) -> Kind:
    if part == "words":
        return "words"
    before, after = cast("Mapping[str, Any]", old), cast("Mapping[str, Any]", new)
    if part == "annotations":
        other = {key for key in {*before, *after} if before.get(key) != after.get(key)}
        return "additive" if all(after.get(key, "") == _SAFER.get(key) for key in other) else "breaking"
    return "additive" if _widens(part, before, after) else "breaking"


def _widens(part: Part, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return whether what fitted fits still: nothing goes, and nothing more is asked for."""
    rest = {"properties", "required"}
    if {key: old[key] for key in old if key not in rest} != {key: new[key] for key in new if key not in rest}:
        return False
    before, after = old.get("properties", ANYTHING), new.get("properties", ANYTHING)
    needed, needs = set(old.get("required", ())), set(new.get("required", ()))
    more = needs <= needed if part == "input" else needed <= needs
    return more and all(name in after and digest(before[name]) == digest(after[name]) for name in before)
