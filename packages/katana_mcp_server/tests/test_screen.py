"""How a report looks on a terminal that is wide, narrow or hardly there."""

import io
import os
import re
import signal
import subprocess
import sys

import pytest

from katana_mcp.commands.cache.job import Line, Report, Sheet
from katana_mcp.commands.cache.screen import bars, confirmed, print_report, sentences
from katana_sandbox import ManualClock

HEAD = ("entity", "flag", "records", "age", "cursor", "quarantined", "unfinished")
LONG = "outsourced_purchase_order_recipe_row"
CURSOR = "2026-11-19T13:57:02.773Z"
REPORT = Report(
    {},
    (
        Sheet(
            HEAD,
            [
                Line(("variant", "typed", 17_200, "19 s", CURSOR, 0, None), good=True),
                Line((LONG, "typed", 0, "never", None, 2, "250/290"), good=False),
            ],
        ),
    ),
)


class Terminal(io.StringIO):
    """A screen that people look at."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def at(width: int, monkeypatch: pytest.MonkeyPatch, report: Report = REPORT) -> list[str]:
    """Return the lines of a report on a terminal of this width, without colours."""
    screen = Terminal()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", screen)
    print_report(report, as_json=False)
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()]


def test_a_table_is_a_table_where_it_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    head, _, first, second = at(140, monkeypatch)
    assert head.split() == list(HEAD)
    assert first.split() == ["variant", "typed", "17,200", "19", "s", CURSOR, "0"]
    assert second.split() == [LONG, "typed", "0", "never", "2", "250/290"]


def test_in_a_log_a_line_each_quarter_of_a_minute_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    with bars(clock.monotonic) as tell:
        for done in range(1, 8):
            clock.advance(5)
            tell("variant", done * 250, 5000)
        clock.advance(15)
        tell("customer", 40, None)
    out, err = capsys.readouterr()
    lines = ("variant 750/5,000", "variant 1,500/5,000", "customer 40")
    assert (out, err) == ("", "".join(f"katana-mcp: {line}\n" for line in lines))


def test_a_sentence_of_progress_is_shown_without_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = ManualClock()
    with sentences(clock.monotonic) as tell:
        clock.advance(15)
        tell("step 3 of 3: complete it", 0, None)
    assert capsys.readouterr().err == "katana-mcp: step 3 of 3: complete it\n"
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    with sentences() as tell:
        tell("syncing locations: 1/3", 0, 5)
        tell("syncing locations: 3/3", 1, 5)
    *_, last = screen.getvalue().split("syncing")
    assert last.startswith((" locations: 3/3\n", " locations: 3/3\x1b"))
    assert not re.search(r"0/|1/5|-:--", screen.getvalue())


@pytest.mark.parametrize("width", [80, 40])
def test_where_it_has_none_each_line_names_its_cells_and_no_word_is_broken(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    lines = at(width, monkeypatch)
    assert max(map(len, lines)) <= width
    whole = " ".join(line.strip() for line in lines)
    assert whole == (
        f"variant flag typed, records 17,200, age 19 s, cursor {CURSOR}, quarantined 0 "
        f"{LONG} flag typed, records 0, age never, quarantined 2, unfinished 250/290"
    )
    assert [line for line in lines if not line.startswith(" ")] == ["variant", LONG]


PROSE = Report(
    {}, (Sheet((), [Line(("ok", "key", "set")), Line(("wrong", "cache", LONG, "do: mend"))], is_prose=True),)
)


def test_sentences_have_lines_of_their_own_beside_the_words_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    below = " " * len("wrong  cache  ")
    assert at(80, monkeypatch, PROSE) == ["ok     key    set", f"wrong  cache  {LONG}", f"{below}do: mend"]
    whole = at(20, monkeypatch, PROSE)
    assert whole == ["ok     key    set", f"wrong  cache  {LONG[:30]}", f"{below}{LONG[30:]}", f"{below}do: mend"]
    nothing = Report({}, (Sheet((), [], is_prose=True),))
    assert at(80, monkeypatch, nothing) == []


def test_while_it_is_paused_nothing_is_drawn_and_what_is_written_is_not_held_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    with bars() as progress:
        progress("orders", 1, 2)
        with progress.paused():
            sys.stderr.write("Write this? ")
            progress("orders", 2, 2)
            progress("items", 1, 2)
            assert screen.getvalue().endswith("Write this? ")
        progress("items", 2, 2)
    assert "items" in screen.getvalue().partition("Write this? ")[2]


def test_in_a_log_nothing_is_said_while_it_is_paused(capsys: pytest.CaptureFixture[str]) -> None:
    clock = ManualClock()
    with bars(clock.monotonic) as progress:
        with progress.paused():
            clock.advance(20)
            progress("variant", 1, 2)
        progress("variant", 2, 2)
    assert capsys.readouterr().err == "katana-mcp: variant 2/2\n"


@pytest.mark.parametrize(("typed", "is_yes"), [("no", False), ("yes", True)])
async def test_what_was_typed_before_the_question_does_not_answer_it(
    monkeypatch: pytest.MonkeyPatch, typed: str, *, is_yes: bool
) -> None:
    keyboard, terminal = os.openpty()
    other = "no" if is_yes else "yes"

    class Asked(io.StringIO):
        def write(self, text: str) -> int:
            os.write(keyboard, f"{typed}\n".encode())
            return super().write(text)

    monkeypatch.setattr(sys, "stderr", asked := Asked())
    with os.fdopen(keyboard, "wb"), os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        os.write(keyboard, f"{other}\n".encode())
        assert await confirmed("Write this?") is is_yes
    assert asked.getvalue() == "Write this?\nType yes or no, then Enter: "


def test_ctrl_c_ends_a_question_at_once() -> None:
    """It need not be answered first: what waits for it ends too."""
    keyboard, terminal = os.openpty()
    asking = "import asyncio; from katana_mcp.commands.cache.screen import confirmed; asyncio.run(confirmed('Sure?'))"
    with (
        os.fdopen(keyboard, "wb"),
        os.fdopen(terminal) as stdin,
        subprocess.Popen([sys.executable, "-c", asking], stdin=stdin, stderr=subprocess.PIPE) as person,
    ):
        try:
            assert person.stderr is not None
            assert b"Sure?" in person.stderr.readline()
            person.send_signal(signal.SIGINT)
            assert person.wait(10) == -signal.SIGINT
        finally:
            person.kill()
