"""The live catalogue: what of the meant one is served, what is told and noted of other servers, and what is kept."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from cache_core.testing import ManualClock
from katana_mcp.gateway.adoption import Attempt
from katana_mcp.gateway.drift import Change, Observation
from katana_mcp.gateway.files import CatalogFiles, append_attempt, read_attempts, snapshots, write_json, write_pins
from katana_mcp.gateway.intended import Entry
from katana_mcp.gateway.live import LiveCatalog, Stage
from katana_mcp.gateway.model import CatalogError
from katana_mcp.gateway.schemas import digest

type Json = dict[str, Any]

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
WRITTEN = """
[upstreams.s]
command = ["s"]
required = true
[upstreams.t]
command = ["t"]
[tools.s.quote]
read_only = true
[tools.t.fixed]
lock_schema = true
[aggregates.both]
description = "Both."
operations.book.tool = "s.book"
operations.fixed.tool = "t.fixed"
"""
PRICE: Json = {"type": "object", "required": ["price"]}
TOTAL: Json = {"type": "object", "required": ["total"]}
SUM: Json = {"type": "object", "required": ["sum"]}
OBJECT: Json = {"type": "object"}


def listed(name: str, **parts: object) -> Json:
    return {"name": name, "inputSchema": OBJECT, **parts}


QUOTE, BOOK, FIXED = listed("quote", outputSchema=PRICE), listed("book"), listed("fixed", outputSchema=PRICE)
PINS: Mapping[str, Json] = {"s.quote": QUOTE, "s.book": BOOK, "t.fixed": FIXED}
OWN = Entry("katana.own", {"name": "own", "annotations": {"readOnlyHint": True}})
WHOLE: Mapping[str, Json] = {"quote": QUOTE, "book": BOOK}
NAMES = ["book", "both", "fixed", "own", "quote"]


@pytest.fixture
def files(tmp_path: Path) -> CatalogFiles:
    files = CatalogFiles(tmp_path / "catalog.toml", tmp_path / "state")
    files.written.write_text(WRITTEN)
    write_pins(files, PINS, dict.fromkeys(PINS, "Monday"))
    return files


def live_of(files: CatalogFiles, clock: ManualClock | None = None, **stage: Any) -> LiveCatalog:  # noqa: ANN401 - of a stage
    return LiveCatalog(files, [OWN], clock or ManualClock(NOW), Stage(**stage))


def up(tools: Mapping[str, Json] = WHOLE, version: str = "") -> Observation:
    return Observation("up", version=version, tools=tools)


def quoting(schema: Json) -> Mapping[str, Json]:
    """Return a listing in which one tool has another output schema."""
    return {**WHOLE, "quote": {**QUOTE, "outputSchema": schema}}


def kept(path: Path) -> Json:
    return json.loads(path.read_text("utf-8"))


def attempted(files: CatalogFiles) -> list[tuple[str, str]]:
    return [(attempt.tool, attempt.outcome) for attempt in read_attempts(files)]


def names(live: LiveCatalog) -> list[str]:
    return list(live.snapshot()["tools"])


def test_before_any_server_was_asked_all_that_is_meant_is_served(files: CatalogFiles) -> None:
    live = live_of(files)
    assert live.snapshot() == {
        "phase": "enforce",
        "servers": {"katana": {"state": "up"}, "s": {"state": "starting"}, "t": {"state": "starting"}},
        "tools": {name: live.entries[name].descriptor for name in NAMES},
        "withheld": [],
        "drift": [],
        "stuck": [],
    }
    assert (live.generation, live.serves, live.is_ready, live.tools_of("s")) == (0, True, True, None)
    meant = {name: entry.as_dict() for name, entry in live.entries.items()}
    assert live.intended() == {"made_from": files.made_from(), "tools": meant} == kept(files.intended)
    assert live.input_of("s.quote") == OBJECT
    assert not files.live.exists()


def test_what_is_only_looked_at_writes_nothing(files: CatalogFiles) -> None:
    live = live_of(files, writes=False)
    live.observe("s", up(quoting(TOTAL)))
    assert live.judge("s.quote", {"price": 1}) == "current"
    assert live.judge("t.fixed", {"total": 1}) == "generic"
    assert not files.state.exists()
    assert live.snapshot()["servers"]["s"] == {"state": "up"}


def test_a_report_serves_nothing_and_notes_no_answers(files: CatalogFiles) -> None:
    live = live_of(files, phase="report")
    live.observe("s", up(quoting(TOTAL)))
    assert (live.serves, live.snapshot()["phase"], kept(files.live)["phase"]) == (False, "report", "report")
    assert attempted(files) == []


def test_where_nothing_may_be_changed_only_what_reads_is_meant(files: CatalogFiles) -> None:
    assert list(live_of(files, read_only=True).entries) == ["own", "quote"]


def test_a_listing_as_it_was_adopted_changes_nothing_that_is_served(files: CatalogFiles) -> None:
    clock = ManualClock(NOW)
    live = live_of(files, clock)
    live.observe("s", up(version="1"))
    assert kept(files.descriptors("s")) == live.tools_of("s") == WHOLE
    captured: Json = {"captured_at": "2026-03-02T09:00:00+00:00", **live.snapshot()}
    assert kept(files.live) == kept(snapshots(files)[0]) == captured
    assert [path.name for path in snapshots(files)] == ["20260302T090000000000Z.json"]
    assert captured["servers"]["s"] == {"state": "up", "version": "1"}
    assert (live.generation, names(live)) == (0, NAMES)


def test_what_is_no_news_is_not_written_again(files: CatalogFiles) -> None:
    clock = ManualClock(NOW)
    live = live_of(files, clock)
    live.observe("s", up())
    files.live.unlink()
    files.descriptors("s").unlink()
    clock.advance(1)
    live.observe("s", up())
    live.observe("s", Observation("up", "once", tools=WHOLE))
    assert (files.live.exists(), files.descriptors("s").exists(), len(snapshots(files))) == (False, False, 1)
    live.observe("s", Observation("down", "no route", tools=WHOLE))
    assert (kept(files.live)["servers"]["s"], len(snapshots(files))) == ({"state": "down", "reason": "no route"}, 2)
    assert not files.descriptors("s").exists()
    clock.advance(1)
    live.observe("s", Observation("down", "timed out", tools=WHOLE))
    assert (kept(files.live)["servers"]["s"]["reason"], len(snapshots(files))) == ("no route", 2)


def test_the_tools_of_a_server_that_is_down_are_withheld_until_it_is_up(files: CatalogFiles) -> None:
    live = live_of(files)
    with capture_logs() as logs:
        for reason in ("no route", "timed out"):
            live.observe("s", Observation("down", reason))
    gone = [Change(f"s.{name}", "tool", "missing", "s is down: timed out") for name in ("book", "quote")]
    assert live.drift() == gone
    assert [log for log in logs if log["event"] == "drift"] == [
        {"event": "drift", "log_level": "warning", "tool": tool, "part": "tool", "kind": "missing", "reason": why}
        for tool, why in (("s.book", "s is down: no route"), ("s.quote", "s is down: no route"))
    ]
    assert (names(live), live.snapshot()["withheld"]) == (["both", "fixed", "own"], ["book", "quote"])
    assert (live.generation, live.is_ready) == (1, False)
    assert live.withheld("s.quote") == gone[1]
    assert live.withheld("t.fixed") is live.withheld("s.gone") is None
    live.observe("t", Observation("down", "too"))
    assert (names(live), live.generation) == (["own"], 2)
    assert not live.is_served(live.entries["both"])
    assert live.is_served(OWN)
    with capture_logs() as logs:
        live.observe("s", up())
        assert (names(live), live.generation, live.is_ready) == (["book", "both", "own", "quote"], 3, True)
        live.observe("s", Observation("down", "again"))
    assert [(log["tool"], log["reason"]) for log in logs] == [
        ("s.book", "s is down: again"),
        ("s.quote", "s is down: again"),
    ]


def test_a_change_of_what_is_served_counts_and_other_news_do_not(files: CatalogFiles) -> None:
    live = live_of(files)
    counted: list[int] = []
    for state in (up(), Observation("down", "gone"), Observation("down", version="2"), up(), up(version="3"), up({})):
        live.observe("s", state)
        counted.append(live.generation)
    assert counted == [0, 1, 1, 2, 2, 3]


def test_a_server_that_is_not_required_may_be_down(files: CatalogFiles) -> None:
    live = live_of(files)
    live.observe("t", Observation("down", "gone"))
    assert live.is_ready


def test_differences_are_told_for_each_server_with_what_nobody_adopted(files: CatalogFiles) -> None:
    live = live_of(files)
    live.observe("t", up({"new": listed("new")}))
    live.observe("s", up({**WHOLE, "extra": listed("extra"), "book": listed("book", description="Words.")}))
    words = [["description", "Words."]]
    assert json.loads(json.dumps([change.as_dict() for change in live.drift()])) == [
        {"tool": "t.fixed", "part": "tool", "kind": "missing", "reason": "its server no longer lists it"},
        {"tool": "s.book", "part": "words", "kind": "words", "reason": "", "old": [], "new": words},
        {"tool": "s.extra", "part": "tool", "kind": "new", "reason": "not adopted"},
        {"tool": "t.new", "part": "tool", "kind": "new", "reason": "not adopted"},
    ]
    assert live.snapshot()["drift"] == [change.as_dict() for change in live.drift()]
    assert names(live) == ["own", "quote"]


OFFERED = Attempt("s.quote", "offered", digest(PRICE), TOTAL)


def test_a_new_output_schema_is_offered_once_and_withheld_from_nobody(files: CatalogFiles) -> None:
    live = live_of(files)
    with capture_logs() as logs:
        live.observe("s", up(quoting(TOTAL)))
    assert list(read_attempts(files)) == [OFFERED]
    assert logs[0] == {
        "event": "output schema",
        "log_level": "info",
        "tool": "s.quote",
        "outcome": "offered",
        "why": "",
    }
    assert '"at": "2026-03-02T09:00:00+00:00"' in files.attempts.read_text("utf-8")
    assert names(live) == NAMES
    assert live.withheld("s.quote") is None
    assert [(change.target, change.part, change.kind) for change in live.drift()] == [("s.quote", "output", "breaking")]
    for schema in (PRICE, TOTAL, PRICE):
        live.observe("s", up(quoting(schema)))
    assert attempted(files) == [("s.quote", "offered"), ("s.quote", "withdrawn")]


def test_what_was_withdrawn_is_noted_each_time(files: CatalogFiles) -> None:
    live = live_of(files)
    for schema in (TOTAL, PRICE, SUM, PRICE):
        live.observe("s", up(quoting(schema)))
    assert [outcome for _, outcome in attempted(files)] == ["offered", "withdrawn", "offered", "withdrawn"]


def test_neither_a_locked_schema_nor_one_of_a_tool_that_nobody_adopted_is_offered(files: CatalogFiles) -> None:
    live = live_of(files)
    live.observe("t", up({"fixed": {**FIXED, "outputSchema": TOTAL}}))
    live.observe(
        "s", up({"extra": listed("extra", outputSchema=TOTAL), "quote": QUOTE, "book": {**BOOK, "outputSchema": SUM}})
    )
    assert attempted(files) == [("s.book", "offered")]
    assert [(change.target, change.part) for change in live.drift()] == [("s.book", "output"), ("s.extra", "tool")]


def test_an_answer_that_fits_has_a_new_output_schema_adopted(files: CatalogFiles) -> None:
    live = live_of(files)
    live.observe("s", up(quoting(TOTAL)))
    with capture_logs() as logs:
        assert live.judge("s.quote", {"total": 1}) == "new"
    assert logs == [{"event": "output schema", "log_level": "info", "tool": "s.quote", "outcome": "valid", "why": ""}]
    assert live.entries["quote"].descriptor["outputSchema"] == TOTAL
    assert kept(files.intended)["tools"]["quote"]["descriptor"]["outputSchema"] == TOTAL
    assert kept(files.live)["tools"]["quote"]["outputSchema"] == TOTAL
    assert (live.drift(), live.generation) == ([], 1)
    with capture_logs() as logs:
        assert live.judge("s.quote", {"total": 1}) == "current"
    assert logs == []
    assert live.judge("s.quote", {"price": 1}) == "previous"
    again = live_of(files)
    assert again.entries["quote"].descriptor["outputSchema"] == TOTAL
    assert again.generation == 0


def test_a_new_output_schema_is_given_up_after_two_answers(files: CatalogFiles) -> None:
    live = live_of(files)
    live.observe("s", up(quoting(TOTAL)))
    with capture_logs() as logs:
        levels = [live.judge("s.quote", {"price": 1}) for _ in range(3)]
    assert levels == ["current"] * 3
    why = "the whole: required"
    failed = {"event": "output schema", "log_level": "warning", "tool": "s.quote", "outcome": "failed", "why": why}
    assert logs == [failed, failed]
    assert live.stuck() == live.snapshot()["stuck"] == kept(files.live)["stuck"] == ["s.quote"]
    assert live.entries["quote"].descriptor["outputSchema"] == PRICE


def test_what_another_process_adopted_meanwhile_differs_no_more_after_an_answer(files: CatalogFiles) -> None:
    live = live_of(files)
    live.observe("s", up(quoting(TOTAL)))
    append_attempt(files, Attempt("s.quote", "valid", digest(PRICE)), NOW)
    assert live.judge("s.quote", {"price": 1}) == "current"
    assert live.drift() == kept(files.live)["drift"] == []
    assert live.judge("s.quote", {"total": 1}) == "current"


def test_an_answer_that_fits_nothing_has_any_object_promised(files: CatalogFiles) -> None:
    live = live_of(files)
    with capture_logs() as logs:
        assert live.judge("t.fixed", {"total": 1}) == "generic"
    loose = {"event": "an answer does not fit its output schema", "log_level": "warning"}
    assert logs == [{**loose, "tool": "t.fixed", "taken_as": "generic"}]
    tools = live.snapshot()["tools"]
    assert tools["fixed"] == {**live.entries["fixed"].descriptor, "outputSchema": OBJECT}
    assert tools["quote"] == live.entries["quote"].descriptor
    assert kept(files.live)["tools"] == tools
    assert live.generation == 1
    assert kept(files.intended)["tools"]["fixed"]["descriptor"]["outputSchema"] == PRICE


def test_a_schema_that_is_adopted_is_promised_again(files: CatalogFiles) -> None:
    live = live_of(files)
    assert live.judge("s.quote", {"sum": 1}) == "generic"
    assert live.snapshot()["tools"]["quote"]["outputSchema"] == OBJECT
    live.observe("s", up(quoting(SUM)))
    assert live.judge("s.quote", {"sum": 1}) == "new"
    assert live.snapshot()["tools"]["quote"]["outputSchema"] == SUM


def test_what_cannot_be_written_is_logged_and_answers_are_taken_all_the_same(files: CatalogFiles) -> None:
    live = live_of(files)
    files.attempts.mkdir()
    with capture_logs() as logs:
        live.observe("s", up(quoting(TOTAL)))
    trouble = {"event": "the state of the catalogue cannot be written", "log_level": "error"}
    assert logs[1] == {**trouble, "reason": "IsADirectoryError"}
    assert live.judge("s.quote", {"total": 1}) == "generic"
    files.live.unlink()
    files.live.mkdir()
    with capture_logs() as logs:
        assert live.judge("t.fixed", {"total": 1}) == "generic"
    assert logs[-1] == {**trouble, "reason": f"{files.live} cannot be written: Is a directory"}
    with pytest.raises(CatalogError, match="cannot be written: Is a directory"):
        live.observe("t", up({}))


def test_what_another_process_saw_is_recalled(files: CatalogFiles) -> None:
    write_json(files.descriptors("s"), {"quote": QUOTE})
    live = live_of(files)
    live.recall({"servers": {"s": {"state": "up", "version": "2"}, "t": {"state": "down", "reason": "gone"}}})
    assert live.snapshot()["servers"] == {
        "katana": {"state": "up"},
        "s": {"state": "up", "version": "2"},
        "t": {"state": "down", "reason": "gone"},
    }
    assert (live.tools_of("s"), live.tools_of("t")) == ({"quote": QUOTE}, None)
    assert [(change.target, change.reason) for change in live.drift()] == [
        ("s.book", "its server no longer lists it"),
        ("t.fixed", "t is down: gone"),
    ]
    live.recall({})
    assert live.snapshot()["servers"]["t"] == {"state": "starting"}
    assert [change.target for change in live.drift()] == ["s.book"]


def test_what_was_adopted_meanwhile_is_taken(files: CatalogFiles) -> None:
    live = live_of(files)
    entries = live.entries
    live.reload()
    assert live.entries is entries
    write_pins(files, {**PINS, "t.more": listed("more")}, {"t.more": "Tuesday"})
    live.reload()
    assert list(live.entries) == ["book", "both", "fixed", "more", "own", "quote"]
    taken = live.entries
    live.reload()
    assert live.entries is taken
    append_attempt(files, OFFERED, NOW)
    append_attempt(files, Attempt("s.quote", "valid", digest(PRICE)), NOW)
    live.reload()
    assert live.entries["quote"].descriptor["outputSchema"] == TOTAL


def test_what_was_adopted_meanwhile_differs_no_more(files: CatalogFiles) -> None:
    live = live_of(files)
    changed = listed("book", description="Words.")
    live.observe("s", up({**WHOLE, "book": changed}))
    assert names(live) == ["both", "fixed", "own", "quote"]
    write_pins(files, {**PINS, "s.book": changed}, {"s.book": "Tuesday"})
    live.reload()
    assert (live.drift(), live.withheld("s.book"), names(live)) == ([], None, NAMES)


def test_a_lock_that_cannot_be_used_leaves_the_one_before(files: CatalogFiles) -> None:
    live = live_of(files)
    entries = live.entries
    write_json(files.lock, [])
    with capture_logs() as logs:
        live.reload()
        live.reload()
    event = "the lock was changed and cannot be used; the one before stays"
    assert logs == [{"event": event, "log_level": "error", "reason": f"{files.lock} holds no object"}]
    assert live.entries is entries
    files.lock.unlink()
    with capture_logs() as logs:
        live.reload()
    assert [log["reason"] for log in logs] == ["tools.s.quote: not adopted: katana-mcp catalog adopt s.quote"]
