"""Refused requests in the log: one line, then a count, whatever is sent and from wherever."""

from collections.abc import Callable, Sequence

from structlog.testing import capture_logs
from structlog.typing import EventDict

from katana_mcp.server.mcp.refusals import FOREIGN_HOST, WINDOW, WRONG_TOKEN, RefusalLog


class Timers:
    """Calls that are made when the test says that their time has come."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Take a call."""
        self.due.append((seconds, call))

    def pass_by(self) -> None:
        """Make the calls."""
        due, self.due = self.due, []
        for _, call in due:
            call()


def _lines(logs: Sequence[EventDict]) -> list[tuple[object, ...]]:
    return [(line["event"], line["status"], line["client"], line.get("times")) for line in logs]


def test_the_first_refusal_of_a_kind_is_logged_and_the_others_are_counted() -> None:
    timers = Timers()
    refusals = RefusalLog(timers.later)
    with capture_logs() as logs:
        for _ in range(1_000):
            refusals.note(WRONG_TOKEN, "10.0.0.1")
        refusals.note(WRONG_TOKEN, "10.0.0.2")
        refusals.note(FOREIGN_HOST, "10.0.0.1")
    first = [("request refused", 401, "10.0.0.1", None), ("request refused", 401, "10.0.0.2", None)]
    assert _lines(logs) == [*first, ("request refused", 421, "10.0.0.1", None)]
    assert [seconds for seconds, _ in timers.due] == [WINDOW] * 3
    with capture_logs() as logs:
        timers.pass_by()
        assert _lines(logs) == [("requests refused again", 401, "10.0.0.1", 999)]
        refusals.note(WRONG_TOKEN, "10.0.0.1")
    assert _lines(logs)[1:] == [("request refused", 401, "10.0.0.1", None)]


def test_clients_without_number_fill_neither_the_log_nor_the_memory() -> None:
    timers = Timers()
    refusals = RefusalLog(timers.later)
    for _ in range(2):
        with capture_logs() as logs:
            for number in range(10_000):
                refusals.note(WRONG_TOKEN, f"2001:db8::{number:x}")
            assert len(logs) == len(timers.due) == 33
            timers.pass_by()
        assert _lines(logs)[32:] == [
            ("request refused", 401, "others", None),
            ("requests refused again", 401, "others", 9_967),
        ]


def test_what_was_counted_is_logged_when_the_server_stops() -> None:
    refusals = RefusalLog(Timers().later)
    with capture_logs() as logs:
        refusals.note(WRONG_TOKEN, "x" * 10_000)
        refusals.note(WRONG_TOKEN, "x" * 10_000)
        refusals.close()
        refusals.close()
    client = "x" * 64
    assert _lines(logs) == [("request refused", 401, client, None), ("requests refused again", 401, client, 1)]
