"""The live catalogue: the intended one, without what a server does not offer as it was adopted, and why.

Drift is told, in the log and in `live.json`; it never changes what was written or adopted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from cache_core.clock import Clock
from cache_core.errors import CacheError
from katana_mcp.gateway.adoption import Attempt, Level, Output, judged, replayed, seen
from katana_mcp.gateway.drift import UNSEEN, Change, Observation, new_tools, ordered, tool_changes
from katana_mcp.gateway.files import (
    CatalogFiles,
    append_attempt,
    keep_snapshot,
    read_attempts,
    read_catalog,
    read_json,
    read_pins,
    write_json,
)
from katana_mcp.gateway.intended import Entry, rendered
from katana_mcp.gateway.model import OWN, Catalog, CatalogError
from katana_mcp.gateway.schemas import ANYTHING, Json, digest

_log = structlog.get_logger("katana_mcp.catalog")


@dataclass(frozen=True, slots=True)
class Stage:
    """How far the catalogue goes.

    Attributes:
        phase: `report` says what would be served, `enforce` serves it.
        writes: whether the files of the state are written.
        read_only: whether what may change something is left out.
    """

    phase: str = "enforce"
    writes: bool = True
    read_only: bool = False


class LiveCatalog:
    """What is meant, what is seen of other servers, and what of the one can be served by the other.

    Attributes:
        catalog: what was written.
        entries: what is meant, by name.
        generation: counts the changes of what is served.

    Raises:
        CatalogError: what is written cannot be served, or the state cannot be written.
    """

    def __init__(self, files: CatalogFiles, own: Sequence[Entry], clock: Clock, stage: Stage) -> None:
        self.files = files
        self.catalog: Catalog = read_catalog(files)
        self.generation = 0
        self._own = own
        self._clock = clock
        self._stage = stage
        self._seen: dict[str, Observation] = {}
        self._changes: dict[str, list[Change]] = {}
        self._offered: set[tuple[str, str]] = set()
        self._generic: set[str] = set()
        self._published: Json = {}
        self._logged: set[tuple[str, str, str]] = set()
        self._load()
        self._served = self.snapshot()["tools"]

    def _load(self) -> None:
        self._stamps = self._now_stamps()
        pins = read_pins(self.files)
        schemas = {target: pinned.get("outputSchema", ANYTHING) for target, pinned in pins.items()}
        outputs = replayed(read_attempts(self.files), schemas)
        self._render(pins, outputs)

    def _render(self, pins: Mapping[str, Json], outputs: Mapping[str, Output]) -> None:
        served = {target: output.current for target, output in outputs.items()}
        entries = rendered(self.catalog, pins, served, self._own)
        if self._stage.read_only:
            entries = {name: entry for name, entry in entries.items() if not entry.changes_something}
        self._pins, self._outputs, self.entries = pins, dict(outputs), entries
        self._compare(*self.catalog.upstreams)
        if self._stage.writes:
            write_json(self.files.intended, self.intended())

    def intended(self) -> Json:
        """Return the intended catalogue as it stands in its file."""
        tools = {name: entry.as_dict() for name, entry in self.entries.items()}
        return {"made_from": self.files.made_from(), "tools": tools}

    def reload(self) -> None:
        """Take what was adopted meanwhile, by hand or by another server's answers."""
        if self._now_stamps() == self._stamps:
            return
        try:
            self._load()
        except CatalogError as error:
            _log.error("the lock was changed and cannot be used; the one before stays", reason=str(error))

    def _now_stamps(self) -> list[tuple[int, int] | None]:
        return [_stamp(path) for path in (self.files.lock, self.files.attempts)]

    @property
    def serves(self) -> bool:
        """Whether tools are served, or only looked at."""
        return self._stage.phase == "enforce"

    @property
    def is_ready(self) -> bool:
        """Whether every server is up that is required."""
        upstreams = self.catalog.upstreams.items()
        return not any(upstream.required and self._of(name).state == "down" for name, upstream in upstreams)

    def _of(self, server: str) -> Observation:
        return self._seen.get(server, UNSEEN)

    def observe(self, server: str, observation: Observation) -> None:
        """Take what was seen of a server.

        Raises:
            CatalogError: the state cannot be written.
        """
        before = self._of(server).tools
        self._seen[server] = observation
        if observation.tools is not None and observation.tools != before:
            self._offer(server, observation.tools)
            if self._stage.writes:
                write_json(self.files.descriptors(server), dict(observation.tools))
        self._compare(server)
        self._publish()

    def recall(self, live: Json) -> None:
        """Take what a server saw that wrote this live catalogue, and the listings beside it."""
        for name in self.catalog.upstreams:
            state = live.get("servers", ANYTHING).get(name, ANYTHING)
            self._seen[name] = Observation(**state, tools=read_json(self.files.descriptors(name)))
        self._compare(*self.catalog.upstreams)

    def _compare(self, *servers: str) -> None:
        """Note how the tools of servers differ from what was adopted."""
        for target, pinned in self._pins.items():
            server = target.partition(".")[0]
            if server in servers:
                shown = {**pinned, "outputSchema": self._outputs[target].current}
                locked = self.catalog.override(target).lock_schema
                found = tool_changes(target, shown, self._of(server))
                self._changes[target] = ordered(change for change in found if not (locked and change.part == "output"))

    def _offer(self, server: str, tools: Mapping[str, Json]) -> None:
        for tool, descriptor in tools.items():
            target = f"{server}.{tool}"
            if target not in self._pins or self.catalog.override(target).lock_schema:
                continue
            now = descriptor.get("outputSchema", ANYTHING)
            attempt = seen(target, self._outputs[target], self._pinned_output(target), now)
            # A server that goes back and forth is tried once with each, or the log would grow without end.
            if attempt is not None and (attempt.outcome == "withdrawn" or (target, digest(now)) not in self._offered):
                self._offered.add((target, digest(now)))
                self._note(attempt)

    def _pinned_output(self, target: str) -> Json:
        return self._pins[target].get("outputSchema", ANYTHING)

    def _note(self, attempt: Attempt) -> None:
        """Note what happened to an output schema, where answers can show what fits."""
        if not (self.serves and self._stage.writes):
            return
        log = _log.warning if attempt.outcome == "failed" else _log.info
        log("output schema", tool=attempt.tool, outcome=attempt.outcome, why=attempt.why)
        target = attempt.tool
        try:
            append_attempt(self.files, attempt, self._clock.now())
        except (CacheError, OSError) as error:
            _log.error("the state of the catalogue cannot be written", reason=type(error).__name__)
            return
        ours = [earlier for earlier in read_attempts(self.files) if earlier.tool == target]
        self._outputs |= replayed(ours, {target: self._pinned_output(target)})
        if attempt.outcome == "valid":
            self._generic.discard(target)
            self._render(self._pins, self._outputs)

    def judge(self, target: str, answer: Json | None) -> Level:
        """Return by which output schema an answer is taken; one that fits a new schema has it adopted."""
        attempt, level = judged(target, self._outputs[target], self._pinned_output(target), answer)
        loose = level in {"previous", "generic"}
        if attempt is None and not loose:
            return level
        try:
            if attempt is not None:
                self._note(attempt)
            if loose:
                _log.warning("an answer does not fit its output schema", tool=target, taken_as=level)
                self._generic |= {target}
            self._compare(target.partition(".")[0])
            self._publish()
        except CatalogError as error:
            _log.error("the state of the catalogue cannot be written", reason=str(error))
        return level

    def input_of(self, target: str) -> Json:
        """Return the input schema of a tool as it was adopted."""
        return self._pins[target]["inputSchema"]

    def tools_of(self, server: str) -> Mapping[str, Json] | None:
        """Return the last listing of a server, None before the first."""
        return self._of(server).tools

    def withheld(self, target: str) -> Change | None:
        """Return why a tool of another server is not served just now; None where it is."""
        return next((change for change in self._changes.get(target, ()) if change.part != "output"), None)

    def is_served(self, entry: Entry) -> bool:
        """Whether a tool is served: one made of several as long as one of them is."""
        return not entry.targets or any(self.withheld(target) is None for target in entry.targets)

    def descriptor(self, entry: Entry) -> Json:
        """Return a tool as it is served: with any output once an answer did not fit the one that is told."""
        loose = not self._generic.isdisjoint(entry.targets)
        return {**entry.descriptor, "outputSchema": {"type": "object"}} if loose else entry.descriptor

    def drift(self) -> list[Change]:
        """Return every difference between what was adopted and what servers offer."""
        changes = [change for target in self._pins for change in self._changes.get(target, ())]
        for server in self.catalog.upstreams:
            changes += new_tools(server, self._pins, self._of(server))
        return ordered(changes)

    def stuck(self) -> list[str]:
        """Return the tools whose new output schema did not fit their answers: somebody has to look."""
        return sorted(target for target, output in self._outputs.items() if output.is_stuck)

    def snapshot(self) -> Json:
        """Return what is served, and what is not and why."""
        served = {name: self.descriptor(entry) for name, entry in self.entries.items() if self.is_served(entry)}
        others = {name: self._of(name).without_tools() for name in self.catalog.upstreams}
        return {
            "phase": self._stage.phase,
            "servers": {OWN: {"state": "up"}, **others},
            "tools": served,
            "withheld": sorted(set(self.entries) - set(served)),
            "drift": [change.as_dict() for change in self.drift()],
            "stuck": self.stuck(),
        }

    def _publish(self) -> None:
        live = self.snapshot()
        # A failure may be told in other words each time; that alone is no news.
        drift = [{**change, "reason": ""} for change in live["drift"]]
        news = {
            **live,
            "servers": {name: {**state, "reason": ""} for name, state in live["servers"].items()},
            "drift": drift,
        }
        if news == self._published:
            return
        self._published = news
        if live["tools"] != self._served:
            self._served = live["tools"]
            self.generation += 1
        self._tell()
        if self._stage.writes:
            now = self._clock.now()
            stamped = {"captured_at": now.isoformat(), **live}
            write_json(self.files.live, stamped)
            keep_snapshot(self.files, stamped, now)

    def _tell(self) -> None:
        """Log each difference once, until it is gone."""
        now = {(change.target, change.part, change.kind): change for change in self.drift()}
        for (target, part, kind), change in now.items():
            if (target, part, kind) not in self._logged:
                _log.warning("drift", tool=target, part=part, kind=kind, reason=change.reason)
        self._logged = set(now)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_ino
