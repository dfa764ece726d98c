"""`katana-mcp cache …` as people and programs use it: through the real entry point, on the sandbox in this process."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from errno import EACCES
from io import StringIO
from pathlib import Path

import pytest
from command_line import Run
from other_backend import OTHER, two_backends

from katana_mcp.caches import comparisons
from katana_mcp.caches.backends import ALWAYS, BACKENDS
from katana_mcp.commands.cache import clear as clear_command
from katana_mcp.configuration.backend_flags import DEFAULTS


@pytest.fixture
def run(command_line: Run) -> Run:
    """Run a command of `katana-mcp cache` on the sandbox with its cache below `kept`."""
    return lambda *arguments: command_line("cache", *arguments)


def directory(tmp_path: Path) -> Path:
    """Return where the one account's cache stands."""
    (found,) = (path for path in (tmp_path / "kept").iterdir() if path.is_dir())
    return found


def typed_file(tmp_path: Path) -> Path:
    """Return the file of the backend that holds every entity."""
    (found,) = directory(tmp_path).glob("typed-*.db")
    return found


def test_looking_at_nothing_makes_nothing(run: Run, tmp_path: Path) -> None:
    status = run("status", "--json")
    assert (status.code, status.data["absent"]) == (0, list(BACKENDS))
    assert {entity["backend"] for entity in status.data["entities"]} == {None}
    assert "there is no typed cache yet" in run("status").out
    for command in (["verify"], ["compare"], ["migrate"]):
        assert run(*command).code == 1
    assert run("clear").code == 0
    assert list(tmp_path.iterdir()) == []


def test_a_rebuilt_cache_is_shown_and_checked(run: Run) -> None:
    rebuilt = run("rebuild", "--json")
    assert (rebuilt.code, rebuilt.err) == (0, "")
    assert rebuilt.entity("variant") == {
        "entity": "variant",
        "before": 0,
        "records": 172,
        "quarantined": 0,
        "requests": 1,
    }
    status = run("status", "--json")
    variant = status.entity("variant")
    assert (variant["records"], variant["flag"], variant["backend"]) == (172, "typed", "typed")
    assert 0 <= variant["age_seconds"] < 60
    assert status.entity("location")["backend"] == DEFAULTS["location"]
    sound = run("verify", "--json")
    assert (sound.code, sound.data["faults"], sound.data["entities"]) == (0, {name: [] for name in BACKENDS}, [])


@two_backends
def test_a_rebuilt_cache_is_moved_and_compared(run: Run) -> None:
    run("rebuild")
    moved = run("migrate", "variants", "product", "--to", OTHER, "--json")
    assert (moved.code, moved.entity("variant")["rows"], moved.entity("variant")["differences"]) == (0, 172, 0)
    equal = run("verify", "--json")
    assert {entity["entity"]: entity["differences"] for entity in equal.data["entities"]} == {
        "variant": 0,
        "product": 0,
    }
    compared = run("compare", "variant", "--run", "150", "--json")
    assert (compared.code, compared.entity("variant")["go"]) == (1, False)
    assert compared.entity("variant")["reason"] == "150 of 10,000 comparisons"
    timings = compared.entity("variant")["timings"]
    assert {name: timing["count"] for name, timing in timings.items()} == dict.fromkeys(BACKENDS, 150)
    assert all(0 < timing["p50"] <= timing["p95"] for timing in timings.values())
    times = re.findall(r"[\d.]+ (?:µs|ms|s) / [\d.]+ (?:µs|ms|s)", run("compare", "variant").out)
    assert len(times) == len(BACKENDS)


def test_tables_are_for_people_and_hold_no_escapes_without_a_terminal(run: Run) -> None:
    run("rebuild", "variant")
    for command in (["status"], ["verify"], ["migrate", "--to", OTHER], ["compare", "--run", "5"]):
        ran = run(*command)
        assert any(word in ran.out for word in ("variant", "sound", "backend is left"))
        assert "\x1b" not in ran.out + ran.err


MOVES = {("migrate", "variant", "--to", OTHER): "variant", ("compare", "variant", "--run", "9"): "comparing variant"}
LONG = {("rebuild", "variant"): "variant", **(MOVES if len(BACKENDS) > 1 else {})}
"""Commands that take long, and what their bar is called."""


@pytest.mark.parametrize(
    ("environment", "bar", "color"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
    ],
    ids=["terminal", "no color", "dumb"],
)
def test_a_terminal_gets_bars_and_color_unless_it_says_no(
    run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], bar: bool, color: bool
) -> None:
    for name, value in {"TTY_COMPATIBLE": "1", **environment}.items():
        monkeypatch.setenv(name, value)
    flag = ("--cache-backend-variant", ALWAYS)
    for command, what in LONG.items() if color else [*LONG.items()][:1]:
        shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", run(*command, *flag).err)
        assert bool(re.search(rf"\b{what} +\S+ +([0-9]+)/\1\b", shown)) is bar
    ran = run("verify")
    assert ("\x1b" in ran.err) is bar
    assert ("\x1b[32m" in ran.out) is color


def test_quarantined_records_are_shown_with_their_reason_and_without_their_content(run: Run, tmp_path: Path) -> None:
    run("rebuild", "customer")
    with closing(sqlite3.connect(typed_file(tmp_path))) as db, db:
        poison = ("customer", "i7", 1, "id: \x1b[31mbroken", '{"name": "Berger"}')
        db.execute("INSERT INTO cache_quarantine (entity, key, has_id, reason, payload) VALUES (?, ?, ?, ?, ?)", poison)
    status = run("status", "--json")
    assert status.entity("customer")["quarantine"] == [{"id": 7, "reason": "id: \x1b[31mbroken"}]
    shown = run("status", "--quarantine").out
    assert "id: \N{REPLACEMENT CHARACTER}[31mbroken" in shown
    assert "Berger" not in shown + status.out


def test_damage_is_told_and_left_where_it_is(run: Run, tmp_path: Path) -> None:
    run("rebuild", "variant")
    path = typed_file(tmp_path)
    path.write_bytes(b"not a database " * 500)
    before = sorted(file.name for file in directory(tmp_path).iterdir())
    status, verify = run("status", "--json"), run("verify")
    assert (status.code, verify.code) == (1, 1)
    assert "damaged" in status.data["damaged"][0]
    assert "file is not a database" in verify.out
    assert sorted(file.name for file in directory(tmp_path).iterdir()) == before
    assert run("rebuild", "--json").data["set_aside"][0].startswith(f"{path.name}.damaged-")
    assert run("verify").code == 0


@two_backends
def test_a_difference_between_the_backends_is_named_by_its_id(run: Run, tmp_path: Path) -> None:
    run("rebuild", "product", "material")
    run("migrate", "--to", OTHER)
    with closing(sqlite3.connect(typed_file(tmp_path))) as db, db:
        (row,) = db.execute("SELECT id FROM product LIMIT 1").fetchone()
        db.execute("UPDATE product SET cache_archived = 1 - cache_archived, name = 'wrong' WHERE id = ?", (row,))
    verify = run("verify", "--json")
    assert (verify.code, verify.entity("product")["different"]) == (1, [row])
    assert verify.entity("material")["differences"] == 0
    compared = run("compare", "product", "material", "--run", "300", "--json")
    product = compared.entity("product")
    assert (compared.code, compared.entity("material")["mismatches"]) == (1, 0)
    assert product["mismatches"] > 0
    assert product["reason"] == f"differences: {product['mismatches']}, errors of the trial: 0"
    assert "ids" in product["examples"][0]["difference"]
    assert "product" in run("compare").out
    assert run("compare", "--reset", "--json").data["entities"] == []
    mended = run("migrate", "product", "--to", "typed", "--json")
    assert (mended.code, mended.entity("product")["result"]) == (0, "equal")


@two_backends
def test_what_is_behind_is_told_and_not_called_different(run: Run) -> None:
    run("rebuild", "product")
    run("migrate", "product", "--to", OTHER)
    run("rebuild", "supplier")
    again = run("verify", "--json")
    assert again.entity("product")["differences"] == 0
    kept = run("migrate", "product", "--to", "typed", "--json")
    assert (kept.code, kept.entity("product")["result"]) == (0, "equal")
    nothing = run("migrate", "customer", "--json")
    assert nothing.entity("customer")["result"] == f"{OTHER} holds no complete listing: nothing to copy"


@two_backends
def test_enough_equal_comparisons_are_a_go(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "ENOUGH", 250)
    flag = ("--cache-backend-supplier", "compare:typed")
    run("rebuild", "supplier", *flag)
    # Some of what is drawn is cut, and does not count.
    assert re.search(r"no-go: 24\d of 250 comparisons", run("compare", "supplier", "--run", "249", *flag).out)
    ran = run("compare", "supplier", "--run", "20", *flag)
    assert (ran.code, "no-go: 0 of 100 reads that somebody asked for" in ran.out) == (1, True)
    monkeypatch.setattr(comparisons, "ASKED", 0)
    ran = run("compare", "supplier", *flag)
    assert ran.code == 0
    assert ran.out.rstrip().endswith("go")


@two_backends
def test_what_is_seldom_read_is_a_go_without_a_read_that_somebody_asked_for(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparisons, "ENOUGH", 250)
    flag = ("--cache-backend-tax-rate", "compare:typed")
    run("rebuild", "tax_rate", *flag)
    # Some of what is drawn is cut, and does not count.
    assert re.search(r"no-go: 24\d of 250 comparisons", run("compare", "tax_rate", "--run", "249", *flag).out)
    ran = run("compare", "tax_rate", "--run", "20", *flag)
    assert (ran.code, ran.out.rstrip().endswith("go"), "no-go" in ran.out) == (0, True, False)


def test_clearing_takes_our_files_alone_and_only_when_told(run: Run, tmp_path: Path) -> None:
    run("rebuild", "variant", "location")
    run("migrate", "--to", OTHER)
    run("compare", "variant", "--run", "5")
    here = directory(tmp_path)
    (here / "notes.txt").write_text("mine")
    for old in ("typed-1.db.damaged-1", "legacy-v1.sqlite"):
        (here / old).touch()
    asked = run("clear")
    assert (asked.code, asked.out) == (2, "")
    assert "--yes" in asked.err
    cleared = run("clear", "--yes", "--json")
    assert (cleared.code, cleared.data["kept"]) == (0, ["notes.txt"])
    assert [path.name for path in here.iterdir()] == ["notes.txt"]
    (here / "notes.txt").unlink()
    run("rebuild", "variant")
    assert run("clear", "--yes").code == 0
    assert not here.exists()


def test_a_cache_that_may_not_be_moved_is_not_cleared_and_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("rebuild", "location")
    (directory(tmp_path).parent / f"{directory(tmp_path).name}.cleared-mine").touch()

    def refused(path: Path, target: Path) -> Path:
        raise PermissionError(EACCES, "Permission denied", str(path), None, str(target))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refused)
        ran = run("clear", "--yes")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.rstrip().endswith("cannot be cleared: Permission denied; nothing was deleted")
    assert run("status", "--json").entity("location")["records"] == 3


class Typed(StringIO):
    """A terminal at which somebody answers."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("no\n", 1), ("", 1)])
def test_a_person_is_asked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int) -> None:
    run("rebuild", "location")
    here = directory(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdin", Typed(answer))
    ran = run("clear")
    assert ran.code == code
    assert "Delete" in ran.err
    assert here.exists() is (code == 1)


def test_a_server_that_starts_while_a_person_is_asked_keeps_its_cache(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("rebuild", "location")
    with ExitStack() as running:

        async def agrees(question: str) -> bool:
            server = running.enter_context(closing(sqlite3.connect(typed_file(tmp_path))))
            server.execute("PRAGMA journal_mode = WAL")
            server.execute("SELECT count(*) FROM variant").fetchone()
            return bool(question)

        monkeypatch.setattr(clear_command, "is_interactive", lambda: True)
        monkeypatch.setattr(clear_command, "confirmed", agrees)
        ran = run("clear")
    assert (ran.code, "is using" in ran.err) == (1, True)
    assert run("status", "--json").entity("location")["records"] == 3


def test_what_cannot_be_moved_back_is_named_and_does_not_keep_the_cache_from_being_cleared(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("rebuild", "location")
    here, rename = directory(tmp_path), Path.rename

    def refused(path: Path, target: Path) -> Path:
        if path.name == "notes.txt":
            raise PermissionError(EACCES, "Permission denied")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refused)
    for left in (1, 2):
        run("rebuild", "location")
        (here / "notes.txt").write_text("mine")
        ran = run("clear", "--yes", "--json")
        assert (ran.code, ran.data["kept"], len(ran.data["stays"])) == (1, ["notes.txt"], left)
        assert all("notes.txt stays: " in note for note in ran.data["stays"])
        assert not any(here.iterdir())
    assert run("status").code == 0
    assert [file.read_text() for file in tmp_path.rglob("notes.txt")] == ["mine", "mine"]


def test_a_cache_in_use_is_not_cleared(run: Run, tmp_path: Path) -> None:
    run("rebuild", "variant")
    with closing(sqlite3.connect(typed_file(tmp_path))) as server:
        server.execute("SELECT count(*) FROM variant").fetchone()
        ran = run("clear", "--yes")
    assert ran.code == 1
    assert ran.err == f"katana-mcp: a server is using {typed_file(tmp_path).name}: stop it first; nothing was deleted\n"
    assert run("clear", "--yes").code == 0


WRONG = [
    (["status", "nothing"], "there are factory, location, tax_rate"),
    (["verify", "nothing"], "there are factory, location, tax_rate"),
    (["compare", "sales_order"], "there are location, tax_rate"),
    (["migrate", "stock"], "no entity is called 'stock' here"),
    (["rebuild", "stock"], "no entity is called 'stock' here"),
    (["migrate", "--to", "memory"], f"choose {' or '.join(BACKENDS)}"),
    (["compare", "--run", "-1"], "--run"),
    (["compare", "--run", "many"], "--run"),
    (["clear", "variant"], "variant"),
    (["status", "--cache-backend", "typd"], "KATANA_CACHE_BACKEND"),
    (["status", "--cache-dir", ""], "--cache-dir"),
    (["nothing"], "nothing"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=lambda value: " ".join(value)[:30])
def test_bad_input_ends_with_one_sentence_and_exit_code_2(run: Run, arguments: list[str], message: str) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("katana-mcp: ")
    assert message in ran.err


@pytest.mark.parametrize("command", [["status"], ["rebuild"], ["verify"]])
def test_a_key_from_an_example_is_told_before_anything_is_looked_at(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.delenv("KATANA_SANDBOX")
    monkeypatch.setenv("KATANA_API_KEY", "your-key")
    ran = run(*command)
    message = "katana-mcp: KATANA_API_KEY: the Katana API key is a placeholder: copy the key from Katana\n"
    assert (ran.code, ran.err) == (2, message)


def test_the_settings_of_another_directory_are_a_flag_of_every_command(
    command_line: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KATANA_SANDBOX")
    monkeypatch.delenv("KATANA_CACHE_DIR")
    file = tmp_path / "mine.env"
    file.write_text(f"KATANA_SANDBOX=true\nKATANA_CACHE_DIR={tmp_path / 'theirs'}\n")
    file.chmod(0o600)
    made = command_line("cache", "rebuild", "location", "--env-file", str(file))
    assert (made.code, (tmp_path / "theirs").is_dir()) == (0, True)
    for command in (["cache", "status"], ["cache", "verify"], ["sync", "location"], ["journal", "list"]):
        ran = command_line(*command, "--env-file", str(file))
        assert "katana-mcp:" not in ran.err, command
    for command in (["cache", "clear"], ["cache", "compare"], ["cache", "migrate"], ["journal", "reconcile"]):
        assert command_line(*command, "--env-file", str(tmp_path / "none.env")).code == 2


def test_the_directory_can_be_a_flag_and_the_flag_wins(run: Run, tmp_path: Path) -> None:
    run("rebuild", "location", "--cache-dir", str(tmp_path / "there"))
    assert (tmp_path / "there").is_dir()
    assert not (tmp_path / "kept").exists()


def test_a_directory_that_cannot_be_used_is_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kept").symlink_to(tmp_path)
    ran = run("rebuild", "location")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "symbolic link" in ran.err


@two_backends
def test_the_real_process_stops_at_ctrl_c_without_a_trace(run: Run, tmp_path: Path) -> None:
    run("rebuild", "variant")
    process = subprocess.Popen(
        [sys.executable, "-m", "katana_mcp", "cache", "compare", "variant", "--run", "1000000"],
        env={"PATH": os.environ["PATH"], "KATANA_CACHE_DIR": str(tmp_path / "kept"), "KATANA_SANDBOX": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not (directory(tmp_path) / "comparisons.db").exists():
            with suppress(subprocess.TimeoutExpired):
                assert process.wait(0.05) is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "katana-mcp: stopped\n")
    assert run("status", "--json").entity("variant")["records"] == 172
    assert run("verify").code == 0


KILLED: dict[str, tuple[list[str], str]] = {
    "rebuild": ([], "rebuild/*.db"),
    "migrate": (["--to", OTHER], f"{OTHER}-*"),
    "compare": (["--run", "1000000"], "comparisons.db"),
    "verify": ([], "checked-*"),
}
"""Commands, and the file whose being there tells that they are at work."""


@two_backends
@pytest.mark.soak
@pytest.mark.parametrize("command", KILLED)
def test_a_process_that_was_killed_leaves_whole_data_and_its_command_can_be_repeated(
    run: Run, tmp_path: Path, command: str
) -> None:
    of = ("variant", "--cache-backend", ALWAYS)
    run("rebuild", *of)
    arguments, sign = KILLED[command]
    process = subprocess.Popen(
        [sys.executable, "-m", "katana_mcp", "cache", command, *arguments, *of],
        env={"PATH": os.environ["PATH"], "KATANA_CACHE_DIR": str(tmp_path / "kept"), "KATANA_SANDBOX": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None and not list(directory(tmp_path).glob(sign)):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.01)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL
    assert run("status", "--json", *of).entity("variant")["records"] == 172
    again = run(command, *(["--run", "5"] if command == "compare" else arguments), *of)
    assert (again.code, again.err) == (int(command == "compare"), "")


@pytest.mark.soak
def test_a_clearing_that_was_killed_leaves_no_cache_and_is_ended_by_the_next(run: Run, tmp_path: Path) -> None:
    run("rebuild", "location")
    here = directory(tmp_path)
    (here / "notes.txt").write_text("mine")
    (here / "checked-1").mkdir()
    for nr in range(20_000):
        (here / "checked-1" / str(nr)).touch()
    process = subprocess.Popen(
        [sys.executable, "-m", "katana_mcp", "cache", "clear", "--yes"],
        env={"PATH": os.environ["PATH"], "KATANA_CACHE_DIR": str(tmp_path / "kept"), "KATANA_SANDBOX": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None and (here / "checked-1").exists():
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.001)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL
    assert list(here.parent.glob(f"{here.name}.cleared-*"))
    assert (run("status").code, run("rebuild", "location").code) == (0, 0)
    assert run("clear", "--yes").code == 0
    assert list(here.parent.glob(f"{here.name}*")) == [here]
    assert [path.name for path in here.iterdir()] == ["notes.txt"]
