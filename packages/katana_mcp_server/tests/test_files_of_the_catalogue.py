"""The files of a catalogue: where they stand, what is read of them whatever is in them, and how they are written."""

import hashlib
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from katana_mcp.gateway.adoption import Attempt
from katana_mcp.gateway.files import (
    CatalogFiles,
    append_attempt,
    keep_snapshot,
    read_attempts,
    read_catalog,
    read_json,
    read_pins,
    snapshots,
    text_of,
    write_json,
    write_pins,
)
from katana_mcp.gateway.model import CatalogError
from katana_mcp.gateway.schemas import hashes

type Json = dict[str, Any]

NOW = datetime(2026, 3, 2, 9, 0, 0, 1_500, tzinfo=UTC)


@pytest.fixture
def files(tmp_path: Path) -> CatalogFiles:
    return CatalogFiles(tmp_path / "catalog.toml", tmp_path / "state" / "catalog")


def test_each_file_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = CatalogFiles(Path("etc/mine.toml"), Path("state"))
    assert files.folder == tmp_path / "etc"
    assert [str(path) for path in (files.overlay, files.lock)] == ["etc/mine.local.toml", "etc/mine.lock.json"]
    kept = (files.intended, files.live, files.attempts, files.history, files.descriptors("a"))
    names = ["intended.json", "live.json", "adoption.jsonl", "history", "descriptors/a.json"]
    assert [str(path.relative_to("state")) for path in kept] == names


def test_what_is_meant_is_made_from_the_files_that_are_there(files: CatalogFiles) -> None:
    assert files.made_from() == {}
    files.lock.write_text("lock")
    files.written.write_text("written")
    hashed = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("written", "overlay", "lock")}
    assert files.made_from() == {"catalog.toml": hashed["written"], "catalog.lock.json": hashed["lock"]}
    files.overlay.write_text("overlay")
    names = ["catalog.toml", "catalog.local.toml", "catalog.lock.json"]
    assert files.made_from() == dict(zip(names, hashed.values(), strict=True))


def test_an_overlay_is_merged_table_by_table(files: CatalogFiles) -> None:
    files.written.write_text("""
        check_every = 5
        [upstreams.a]
        command = ["a", "b"]
        timeout = 7
        [upstreams.b]
        command = ["b"]
        [tools.a.x]
        name = "y"
    """)
    assert read_catalog(files).model_dump(exclude_unset=True, mode="json") == {
        "check_every": 5,
        "upstreams": {"a": {"command": ["a", "b"], "timeout": 7}, "b": {"command": ["b"]}},
        "tools": {"a": {"x": {"name": "y"}}},
    }
    files.overlay.write_text("""
        [upstreams.a]
        command = ["c"]
        [upstreams.new]
        command = ["n"]
        [tools.a.x]
        enabled = false
    """)
    assert read_catalog(files).model_dump(exclude_unset=True, mode="json") == {
        "check_every": 5,
        "upstreams": {"a": {"command": ["c"], "timeout": 7}, "b": {"command": ["b"]}, "new": {"command": ["n"]}},
        "tools": {"a": {"x": {"name": "y", "enabled": False}}},
    }


def test_a_table_takes_the_place_of_a_value_and_a_value_that_of_a_table(files: CatalogFiles) -> None:
    files.written.write_text("upstreams = 5\n[tools.a.x]\nname = 'y'")
    files.overlay.write_text("tools = {}\n[upstreams.a]\ncommand = ['a']")
    read = read_catalog(files).model_dump(exclude_unset=True, mode="json")
    assert read == {"upstreams": {"a": {"command": ["a"]}}, "tools": {"a": {"x": {"name": "y"}}}}
    files.overlay.write_text("tools = 5\n[upstreams.a]\ncommand = ['a']")
    with pytest.raises(CatalogError, match=r"^catalog\.toml: tools: "):
        read_catalog(files)


def refused(files: CatalogFiles) -> str:
    with pytest.raises(CatalogError) as raised:
        read_catalog(files)
    return str(raised.value)


def test_a_catalogue_that_cannot_be_read_is_refused_in_one_sentence(files: CatalogFiles) -> None:
    assert refused(files) == f"{files.written} cannot be read: No such file or directory"
    files.written.write_bytes(b"\xff")
    assert refused(files).startswith(f"{files.written} is no TOML: 'utf-8' codec can't decode byte 0xff")
    files.written.write_text("a = ")
    assert refused(files) == f"{files.written} is no TOML: Invalid value (at end of document)"
    files.written.write_text("")
    assert read_catalog(files).model_fields_set == set()
    files.overlay.mkdir()
    assert refused(files) == f"{files.overlay} cannot be read: Is a directory"


def test_everything_that_is_wrong_is_told_by_its_place_without_what_was_written(files: CatalogFiles) -> None:
    files.written.write_text("check_every = 'secret'\n[upstreams.a]\ncommand = ['a']\ntimeout = 601\nsecret = 1")
    assert refused(files) == (
        "catalog.toml: check_every: must be a number; upstreams.a.timeout: must be 600 or less; "
        "upstreams.a.secret: is no known argument"
    )
    files.written.write_text("[tools.a]")
    assert refused(files) == "catalog.toml: no upstream is called a"


PIN: Json = {"name": "x", "inputSchema": {"type": "object"}, "description": "ö"}
OTHER: Json = {"name": "a", "inputSchema": {}}


def test_what_was_adopted_keeps_its_time_until_it_is_adopted_anew(files: CatalogFiles) -> None:
    assert read_pins(files) == {}
    write_pins(files, {"s.x": PIN, "s.a": OTHER}, {"s.x": "Monday", "s.a": "Monday"})
    first = {"adopted_at": "Monday", "hashes": hashes(PIN), "descriptor": PIN}
    other = {"adopted_at": "Monday", "hashes": hashes(OTHER), "descriptor": OTHER}
    assert json.loads(files.lock.read_text("utf-8")) == {"tools": {"s.x": first, "s.a": other}}
    assert list(read_pins(files).items()) == [("s.a", OTHER), ("s.x", PIN)]
    newer = {**OTHER, "description": "d"}
    write_pins(files, {"s.x": PIN, "s.a": newer, "s.b": PIN}, {"s.a": "Tuesday", "s.b": "Tuesday"})
    kept = json.loads(files.lock.read_text("utf-8"))["tools"]
    assert {target: tool["adopted_at"] for target, tool in kept.items()} == {
        "s.x": "Monday",
        "s.a": "Tuesday",
        "s.b": "Tuesday",
    }
    assert read_pins(files) == {"s.a": newer, "s.b": PIN, "s.x": PIN}


def test_a_lock_that_something_else_wrote_is_refused(files: CatalogFiles) -> None:
    write_pins(files, {"s.a": OTHER, "s.x": PIN}, {"s.x": "Monday", "s.a": "Monday"})
    files.lock.write_text(files.lock.read_text("utf-8").replace("ö", "o"), "utf-8")
    with pytest.raises(CatalogError, match=r"^catalog\.lock\.json: s\.x was changed by hand: take the change back, or"):
        read_pins(files)
    for text, told in (("{", "is no JSON"), ("[]", "holds no object"), ('"a"', "holds no object")):
        files.lock.write_text(text)
        with pytest.raises(CatalogError) as raised:
            read_pins(files)
        assert str(raised.value) == f"{files.lock} {told}"
    files.lock.write_text("{}")
    assert read_pins(files) == {}
    write_pins(files, {"s.x": PIN}, {"s.x": "Monday"})
    assert read_pins(files) == {"s.x": PIN}
    files.lock.unlink()
    files.lock.mkdir()
    with pytest.raises(CatalogError) as raised:
        read_pins(files)
    assert str(raised.value) == f"{files.lock} cannot be read: Is a directory"


FIRST = Attempt("s.x", "offered", "hash", {"title": "ö"})
SECOND = Attempt("s.x", "failed", "hash", why="the whole: required")


def test_what_happened_is_noted_in_a_line_each(files: CatalogFiles) -> None:
    assert list(read_attempts(files)) == []
    append_attempt(files, FIRST, NOW)
    append_attempt(files, SECOND, NOW + timedelta(hours=1))
    assert files.attempts.read_text("utf-8") == (
        '\n{"at": "2026-03-02T09:00:00.001500+00:00", "outcome": "offered", "pinned": "hash", '
        '"schema": {"title": "ö"}, "tool": "s.x", "why": ""}\n'
        '\n{"at": "2026-03-02T10:00:00.001500+00:00", "outcome": "failed", "pinned": "hash", '
        '"schema": null, "tool": "s.x", "why": "the whole: required"}\n'
    )
    assert list(read_attempts(files)) == [FIRST, SECOND]
    assert files.state.stat().st_mode & 0o777 == 0o700


def test_a_line_that_says_nothing_does_not_hide_those_after_it(files: CatalogFiles) -> None:
    append_attempt(files, FIRST, NOW)
    lines = [b"", b"{", b"5", b"[]", b'["a"]', b'"text"', b"null", b'{"tool": "x"}', b'{"tool": 1, "more": 2}', b"\xff"]
    with files.attempts.open("ab") as file:
        file.write(b"\n".join(lines) + b'\n{"at": "cut o')
    append_attempt(files, SECOND, NOW)
    assert list(read_attempts(files)) == [FIRST, SECOND]


def test_the_newest_of_what_was_served_are_kept(files: CatalogFiles) -> None:
    assert snapshots(files) == []
    for number in range(22):
        keep_snapshot(files, {"number": number}, NOW + timedelta(seconds=number))
    kept = snapshots(files)
    assert [json.loads(path.read_text("utf-8"))["number"] for path in kept] == list(range(2, 22))
    assert kept[0] == files.history / "20260302T090002001500Z.json"
    (files.history / "note.txt").write_text("")
    keep_snapshot(files, {"number": 22}, NOW + timedelta(seconds=22), keep=3)
    assert [json.loads(path.read_text("utf-8"))["number"] for path in snapshots(files)] == [20, 21, 22]
    assert (files.history / "note.txt").exists()


def test_what_another_process_cleared_away_meanwhile_is_no_trouble(
    files: CatalogFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def after_another(path: Path, *, missing_ok: bool = False) -> None:
        unlink(path, missing_ok=True)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", after_another)
    for number in range(3):
        keep_snapshot(files, {"number": number}, NOW + timedelta(seconds=number), keep=1)
    assert [json.loads(path.read_text("utf-8"))["number"] for path in snapshots(files)] == [2]


def test_a_file_of_the_state_is_an_object_or_counts_as_not_there(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    assert read_json(path) is None
    for text in ("", "{", "[]", "null"):
        path.write_text(text)
        assert read_json(path) is None
    path.write_text('{"a": "ö"}', "utf-8")
    assert read_json(path) == {"a": "ö"}


def test_the_same_value_has_the_same_text() -> None:
    assert text_of({"b": "ö", "a": [1]}) == '{\n "b": "ö",\n "a": [\n  1\n ]\n}\n'


def test_a_file_is_written_whole_to_the_disk_beside_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text = tmp_path / "new" / "deep" / "live.json", text_of({"a": "ö"})
    found: list[tuple[int, list[str]]] = []

    def noted(handle: int) -> None:
        others = sorted(other.name for other in path.parent.iterdir())
        found.append((os.fstat(handle).st_size, [other[:11] for other in others]))

    monkeypatch.setattr(os, "fsync", noted)
    for beside in ([".live.json."], [".live.json.", "live.json"]):
        write_json(path, {"a": "ö"})
        assert found.pop() == (len(text.encode()), beside)
        assert [(other.name, other.read_text("utf-8")) for other in path.parent.iterdir()] == [("live.json", text)]
    assert [directory.stat().st_mode & 0o777 for directory in (path.parent, path)] == [0o700, 0o600]
    assert found == []


def test_what_happened_is_on_the_disk_once_it_is_noted(files: CatalogFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def noted(handle: int) -> None:
        sizes.append(os.fstat(handle).st_size)

    monkeypatch.setattr(os, "fsync", noted)
    append_attempt(files, FIRST, NOW)
    assert sizes == [files.attempts.stat().st_size]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    path.mkdir()
    with pytest.raises(CatalogError) as raised:
        write_json(path, {})
    assert str(raised.value) == f"{path} cannot be written: Is a directory"
    with pytest.raises(UnicodeEncodeError):
        write_json(path, {"a": "\ud800"})
    assert list(tmp_path.iterdir()) == [path]
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(CatalogError) as raised:
        write_json(file / "live.json", {})
    assert str(raised.value) == f"{file / 'live.json'} cannot be written: File exists"
