"""How a report is shown: tables for people, JSON for programs, progress as bars on a terminal and as lines in a log."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from datetime import timedelta
from pathlib import Path

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from katana_mcp.caches.cache_files import Tell
from katana_mcp.commands.cache.job import Line, Report, Sheet

try:
    import termios
except ModuleNotFoundError:  # Windows has none
    termios = None

_WIDE = 1_000
"""Characters of a line where nobody's terminal breaks it."""
_FOLDED = 100
"""Characters of a line of sentences where they are not on a terminal."""
_NARROWEST = 30
"""Characters that a sentence has at least, however narrow the terminal is."""
_EVERY = 15
"""Seconds between two lines of progress in a log."""
_STYLES = {True: "green", False: "red", None: ""}


def print_report(report: Report, *, as_json: bool) -> None:
    """Write the report to stdout."""
    if as_json and not report.data:
        return
    if as_json:
        sys.stdout.write(json.dumps(report.data, indent=1, default=str) + "\n")
        return
    for sheet in report.sheets:
        if sheet.is_prose:
            _print_sentences(sheet)
            continue
        console = _console(_WIDE)
        table = _table(sheet, console)
        if Measurement.get(console, console.options.update(max_width=_WIDE), table).maximum <= console.width:
            console.print(table)
        else:
            _print_list(sheet, console)
    for note in report.notes:
        _console(_WIDE).print(_plain(note), soft_wrap=True)


def _console(width: int) -> Console:
    """Return what writes to stdout; the width is that of its lines where they are not on a terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else width)


class ShownProgress:
    """Progress on stderr; nothing of it is shown while it is paused."""

    def __init__(self, show: Callable[[], AbstractContextManager[Tell]]) -> None:
        self._show = show
        self._shown = ExitStack()
        self._tell: Tell | None = None

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show how far something is."""
        if self._tell is not None:
            self._tell(what, done, total)

    def start(self) -> None:
        """Show what is told from now on."""
        self._tell = self._shown.enter_context(self._show())

    def stop(self) -> None:
        """Take away what is shown."""
        self._tell = None
        self._shown.close()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Leave the terminal to the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()


@contextmanager
def bars(monotonic: Callable[[], float] = time.monotonic) -> Generator[ShownProgress]:
    """Show progress on stderr while the block runs: bars on a terminal that can, elsewhere a line now and then."""
    with _shown(_drawn, _lines(_counted, monotonic)) as progress:
        yield progress


@contextmanager
def sentences(monotonic: Callable[[], float] = time.monotonic) -> Generator[ShownProgress]:
    """Show what is told last on stderr while the block runs, without counts: it says itself how far it is."""
    with _shown(_last_one, _lines(lambda what, _done, _total: what, monotonic)) as progress:
        yield progress


@contextmanager
def _shown(drawn: Callable[[Console], AbstractContextManager[Tell]], lines: Tell) -> Generator[ShownProgress]:
    console = Console(stderr=True)
    can_draw = console.is_terminal and not console.is_dumb_terminal
    progress = ShownProgress(lambda: drawn(console) if can_draw else nullcontext(lines))
    progress.start()
    try:
        yield progress
    finally:
        progress.stop()


@contextmanager
def _last_one(console: Console) -> Generator[Tell]:
    with console.status("") as status:
        yield lambda what, _done, _total: status.update(_plain(what))


@contextmanager
def _drawn(console: Console) -> Generator[Tell]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console, transient=True) as drawn:

        def tell(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = drawn.add_task(what)
            drawn.update(tasks[what], completed=done, total=total)

        yield tell


def _counted(what: str, done: int, total: int | None) -> str:
    return f"{what} {done:,}{'' if total is None else f'/{total:,}'}"


def _lines(words: Callable[[str, int, int | None], str], monotonic: Callable[[], float]) -> Tell:
    last = monotonic()

    def tell(what: str, done: int, total: int | None) -> None:
        nonlocal last
        if monotonic() - last >= _EVERY:
            last = monotonic()
            sys.stderr.write(f"katana-mcp: {words(what, done, total)}\n")

    return tell


def size(path: Path) -> int:
    """Return the bytes of a file, 0 where it has just gone."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def format_size(count: int) -> str:
    """Return bytes as people read them."""
    return f"{count / 2**20:,.1f} MB" if count >= 2**20 else f"{count / 2**10:,.0f} kB"


def format_age(age: timedelta) -> str:
    """Return an age as people read it."""
    seconds = round(age.total_seconds())
    for name, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {name}"
    return f"{seconds} s"


def format_seconds(seconds: float) -> str:
    """Return a short duration as people read it."""
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


async def confirmed(question: str) -> bool:
    """Ask a person; anything but y or yes is no, and what was typed before the question is no answer.

    Others are served meanwhile, and Ctrl-C ends the question as it ends everything else.
    """
    _discard_typed()
    sys.stderr.write(f"{question}\nType yes or no, then Enter: ")
    sys.stderr.flush()
    return (await _typed_line()).strip().casefold() in {"y", "yes"}


async def _typed_line() -> str:
    loop, is_there = asyncio.get_running_loop(), asyncio.Event()
    try:
        terminal = sys.stdin.fileno()
        loop.add_reader(terminal, is_there.set)
    except (NotImplementedError, OSError):  # Windows; no terminal
        return await asyncio.to_thread(sys.stdin.readline)
    try:
        await is_there.wait()  # a thread that reads is not ended by Ctrl-C, nor is what waits for it
    finally:
        loop.remove_reader(terminal)
    return sys.stdin.readline()


def _discard_typed() -> None:
    if termios is not None and sys.stdin.isatty():
        with suppress(OSError, termios.error):  # a terminal that has just gone
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def is_interactive() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin.isatty() and os.environ.get("TERM", "") != ""


def _table(sheet: Sheet, console: Console) -> Table:
    framed = console.is_terminal and not console.is_dumb_terminal
    table = Table(box=box.SIMPLE_HEAD if framed else None, pad_edge=False, header_style="bold", show_edge=False)
    numbers = [_is_number_column(sheet.lines, at) for at in range(len(sheet.head))]
    for name, number in zip(sheet.head, numbers, strict=True):
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for line in sheet.lines:
        *cells, last = map(_cell, line.cells)
        last.stylize(_STYLES[line.good])
        table.add_row(*cells, last)
    return table


def _print_list(sheet: Sheet, console: Console) -> None:
    """Print each line as a name and its other cells below, for a terminal that is too narrow for a table."""
    for line in sheet.lines:
        name, *cells = map(_cell, line.cells)
        details = [Text.assemble(head, " ", cell) for head, cell in zip(sheet.head[1:], cells, strict=True) if cell]
        if details:
            details[-1].stylize(_STYLES[line.good])
        console.print(
            Text.assemble((name.plain, "bold")), Padding(Text(", ").join(details), (0, 0, 0, 2), expand=False), sep="\n"
        )


def _print_sentences(sheet: Sheet) -> None:
    """Print the first two cells of each line in columns, and its sentences beside them."""
    console = _console(_FOLDED)
    words = [tuple(map(_cell, line.cells[:2])) for line in sheet.lines]
    widths = [max((cell.cell_len for cell in column), default=0) + 2 for column in zip(*words, strict=True)]
    room = max(console.width - sum(widths), _NARROWEST)
    for line, cells in zip(sheet.lines, words, strict=True):
        cells[0].stylize(_STYLES[line.good])
        for cell, width in zip(cells, widths, strict=True):
            cell.pad_right(width - cell.cell_len)
        sentences = [_cell(cell) for cell in line.cells[2:] if cell]
        folded = [row for sentence in sentences for row in sentence.wrap(console, room, overflow="fold")]
        for at, row in enumerate(folded):
            row.rstrip()
            console.print(*cells if at == 0 else [" " * sum(widths)], row, sep="", soft_wrap=True)


def _is_number_column(lines: object, at: int) -> bool:
    cells = [line.cells[at] for line in lines if isinstance(line, Line)] if isinstance(lines, list | tuple) else []  # pyright: ignore[reportUnknownVariableType] - lines
    return bool(cells) and all(isinstance(cell, int) or cell is None for cell in cells)


def _cell(value: object) -> Text:
    return _plain("" if value is None else f"{value:,}" if isinstance(value, int) else str(value))


def _plain(text: str) -> Text:
    """Return the text without anything that a terminal would obey."""
    return Text("".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text))
