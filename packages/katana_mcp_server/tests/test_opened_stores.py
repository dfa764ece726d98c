"""How a cache is opened: which backend answers for what, what a flip fills, who is left out, and what is noted."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, cast

import pytest
from opened_shelves import OTHER, Shelves, complete, files_in, ids_in, note_of, noted, rows_of
from structlog.testing import capture_logs
from tests.contract.toys import SPECS, found_ids, listing, owner, toy

from cache_core.compared import ComparedBackend, Comparison, Mismatch
from cache_core.conditions import EVERYTHING
from cache_core.errors import CacheError, CacheMissing, CacheReadOnly, CacheUnavailable, LeaseLost
from cache_core.protocol import Selection
from cache_core.search_rules import SearchText
from katana_mcp.caches.backends import ALWAYS
from katana_mcp.caches.stores import IN_MEMORY, LEFT_OUT, ONLY_READ, Parts, holders, left_out

TRIAL = f"compare:{ALWAYS}"
"""The flag under which the other backend is on trial."""
BOTH = ("toy_owner", "toy")


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "caches" / "account"


@pytest.mark.parametrize(
    ("flag", "names", "held"),
    [
        ("typed", ["typed", "other"], ["typed"]),
        ("other", ["typed", "other"], ["other"]),
        ("compare:typed", ["typed", "other"], ["typed", "other"]),
        ("compare:other", ["typed", "other"], ["other", "typed"]),
        ("compare:typed", [], ["typed"]),
    ],
)
def test_a_flag_names_who_holds_an_entity_and_who_answers(flag: str, names: list[str], held: list[str]) -> None:
    assert holders(flag, names) == held


@pytest.mark.parametrize("looking", [None, False, True])
def test_each_backend_is_made_for_the_entities_that_have_a_flag(
    shelves: Shelves, directory: Path, looking: bool | None
) -> None:
    parts = shelves.parts()
    stores = parts.stores(directory, BOTH) if looking is None else parts.stores(directory, BOTH, looking=looking)
    assert stores == (shelves.looking if looking else shelves.kept)
    assert shelves.made == [(name, directory, BOTH, looking is True) for name in (ALWAYS, OTHER)]


async def test_an_entity_stands_where_its_flag_says_and_one_without_in_the_one_that_holds_all(
    shelves: Shelves, directory: Path
) -> None:
    stores, cache, notices = await shelves.open(directory, OTHER, TRIAL)
    assert (notices, stores.directory, directory.parent.stat().st_mode & 0o777) == ((), directory, 0o700)
    assert cache.entities == {spec.name for spec in SPECS}
    assert [cache.backend_of(name) for name in ("toy_tag", "toy")] == [shelves.kept[ALWAYS], shelves.kept[OTHER]]
    compared = cache.backend_of("toy_owner")
    assert isinstance(compared, ComparedBackend)
    assert (compared.answering, compared.trial) == (shelves.kept[ALWAYS], shelves.kept[OTHER])
    await cache.close()
    assert {f"{name} close" for name in (ALWAYS, OTHER)} <= set(shelves.log)


async def test_a_cache_in_memory_has_no_directory_and_opens_no_backend_that_nothing_uses(shelves: Shelves) -> None:
    stores, cache, notices = await shelves.open(None)
    assert (notices, stores.directory, cache.backend_of("toy")) == ((), None, shelves.memory[ALWAYS])
    assert set(shelves.log) == {f"memory {ALWAYS} open"}


async def test_a_backend_that_was_never_used_is_not_opened(shelves: Shelves, directory: Path) -> None:
    await shelves.open(directory)
    assert set(shelves.log) == {f"{ALWAYS} open"}


CURSORS = ("earlier", "later")


@pytest.mark.parametrize(
    ("flips", "cursors", "rows"),
    [
        # Who answers now takes what the other one got while it answered alone.
        ((OTHER, ALWAYS), (0, 0), ([2], [2])),
        ((OTHER, ALWAYS), (1, 0), ([1], [2])),
        ((OTHER, ALWAYS), (0, 1), ([2], [2])),
        ((ALWAYS, ALWAYS), (0, 0), ([1], [2])),
        ((ALWAYS, ALWAYS), (0, 1), ([2], [2])),
        ((ALWAYS, ALWAYS), (None, 0), ([2], [2])),
        ((ALWAYS, ALWAYS), (None, None), ([1], [2])),
        ((TRIAL, ALWAYS), (0, 0), ([1], [2])),
        ((None, ALWAYS), (0, 0), ([1], [2])),
        ((ALWAYS, OTHER), (0, 0), ([1], [1])),
        ((OTHER, OTHER), (0, 0), ([1], [2])),
        # Who is on trial takes what the answering one got without it.
        ((ALWAYS, TRIAL), (0, 0), ([1], [1])),
        ((TRIAL, TRIAL), (0, 0), ([1], [2])),
        ((f"compare:{OTHER}", TRIAL), (1, 0), ([1], [1])),
        ((OTHER, TRIAL), (0, 0), ([2], [2])),
        ((None, TRIAL), (0, 0), ([1], [2])),
        ((ALWAYS, f"compare:{OTHER}"), (0, 0), ([1], [1])),
        ((OTHER, f"compare:{OTHER}"), (0, 0), ([2], [2])),
    ],
)
async def test_what_a_flip_left_empty_or_behind_is_filled_from_who_has_it(
    shelves: Shelves,
    directory: Path,
    flips: tuple[str | None, str],
    cursors: tuple[int | None, int | None],
    rows: tuple[list[int], list[int]],
) -> None:
    before, flag = flips
    note_of(directory, {} if before is None else {"toy": before})
    (directory / f"{OTHER}-0.db").touch()
    for name, row, cursor in zip((ALWAYS, OTHER), (1, 2), cursors, strict=True):
        await complete(shelves.kept[name], toy(row), cursor=None if cursor is None else CURSORS[cursor])
    _, cache, notices = await shelves.open(directory, flag)
    assert (await ids_in(shelves.kept[ALWAYS]), await ids_in(shelves.kept[OTHER]), notices) == (*rows, ())
    assert await rows_of(cache) == rows[0 if holders(flag, ())[0] == ALWAYS else 1]
    if flag == ALWAYS:
        assert [shelves.log.count(f"{OTHER} {what}") for what in ("open", "close")] == [1, 1]


@pytest.mark.parametrize("note", [b"\xff{", b"[]", b'{"flags": [], "searchable": 3}'])
async def test_a_note_that_cannot_be_read_says_nothing(shelves: Shelves, directory: Path, note: bytes) -> None:
    note_of(directory, {})
    (directory / "opened.json").write_bytes(note)
    (directory / f"{OTHER}-0.db").touch()
    for name, row in ((ALWAYS, 1), (OTHER, 2)):
        await complete(shelves.kept[name], toy(row), cursor="same")
    await shelves.open(directory)
    assert (await ids_in(shelves.kept[ALWAYS]), left_out(directory)) == ([1], [])


async def test_what_another_process_fills_meanwhile_is_left_to_it(shelves: Shelves, directory: Path) -> None:
    await complete(shelves.kept[ALWAYS], toy(1), cursor="same")
    shelves.kept[OTHER].trouble["apply"] = LeaseLost("it is filled")
    with capture_logs() as logs:
        _, _, notices = await shelves.open(directory, TRIAL)
    assert (notices, await ids_in(shelves.kept[OTHER])) == ((), [])
    assert {"event": "another process fills the cache", "log_level": "info", "entity": "toy", "target": OTHER} in logs


ALONE = CacheUnavailable("its disk is full")
NOTICE = f"its disk is full{LEFT_OUT.format(OTHER)}"


def failed(entity: str) -> Comparison:
    """Return what is kept of a trial that could not be filled."""
    return Comparison(entity, "apply", "filling", None, "CacheUnavailable", (0.0, 0.0), (ALWAYS, OTHER))


@pytest.mark.parametrize("fails", ["open", "state", "apply"])
async def test_a_trial_that_cannot_be_opened_read_or_filled_is_left_out(
    shelves: Shelves, directory: Path, fails: str
) -> None:
    note_of(directory, dict.fromkeys(BOTH, ALWAYS))
    await complete(shelves.kept[ALWAYS], toy(1), cursor="same")
    shelves.kept[OTHER].trouble[fails] = ALONE
    with capture_logs() as logs:
        _, cache, notices = await shelves.open(directory, TRIAL, TRIAL)
    assert (notices, left_out(directory)) == ((NOTICE,), [NOTICE])
    assert noted(directory)["flags"] == dict.fromkeys(BOTH, ALWAYS), "what it misses is filled the next time"
    assert [cache.backend_of(name) for name in BOTH] == [shelves.kept[ALWAYS]] * 2
    assert shelves.recorded() == [failed(name) for name in BOTH]
    event = {"event": "a backend is left out", "log_level": "warning", "backend": OTHER, "reason": "its disk is full"}
    assert [line for line in logs if line["event"] == event["event"]] == [event]
    assert await rows_of(cache) == [1]


async def test_a_backend_that_failed_is_left_out_only_where_it_is_on_trial(shelves: Shelves, directory: Path) -> None:
    await complete(shelves.kept[ALWAYS], owner(5, "Smith"), entity="toy_owner", cursor="same")
    shelves.kept[OTHER].trouble["apply"] = ALONE
    _, cache, notices = await shelves.open(directory, OTHER, TRIAL)
    assert (notices, shelves.recorded()) == ((NOTICE,), [failed("toy_owner")])
    assert [cache.backend_of(name) for name in BOTH] == [shelves.kept[ALWAYS], shelves.kept[OTHER]]
    assert noted(directory)["flags"] == {"toy_owner": ALWAYS, "toy": OTHER}


@pytest.mark.parametrize("fails", ["open", "state"])
async def test_a_backend_that_nothing_uses_may_fail(shelves: Shelves, directory: Path, fails: str) -> None:
    note_of(directory, {})
    (directory / f"{OTHER}-0.db").touch()
    shelves.kept[OTHER].trouble[fails] = ALONE
    _, cache, notices = await shelves.open(directory)
    assert (notices, left_out(directory), shelves.recorded()) == ((), [], [])
    assert cache.backend_of("toy") == shelves.kept[ALWAYS]


async def test_what_stops_the_filling_closes_all_that_was_opened(shelves: Shelves, directory: Path) -> None:
    note_of(directory, {})
    (directory / f"{OTHER}-0.db").touch()
    shelves.kept[OTHER].trouble["state"] = asyncio.CancelledError()
    with pytest.raises(asyncio.CancelledError):
        await shelves.open(directory)
    assert shelves.log[-2:] == [f"{OTHER} close", f"{ALWAYS} close"]


async def test_how_the_cache_was_opened_is_noted_for_its_owner_alone(shelves: Shelves, directory: Path) -> None:
    await shelves.open(directory, TRIAL)
    note = noted(directory)
    assert (note["flags"], note["left_out"]) == ({"toy_owner": ALWAYS, "toy": TRIAL}, [])
    digests = cast("dict[str, str]", note["searchable"])
    assert [len(digests[spec.name]) for spec in SPECS] == [16] * 3
    assert len(set(digests.values())) == 3
    assert files_in(directory) == [("opened.json", 0o600)]


async def test_a_note_that_cannot_be_put_in_place_leaves_nothing_beside(shelves: Shelves, directory: Path) -> None:
    note_of(directory, {})
    (directory / "opened.json").unlink()
    (directory / "opened.json" / "sub").mkdir(parents=True)
    with capture_logs() as logs:
        _, _, notices = await shelves.open(directory)
    assert (notices, [name for name, _ in files_in(directory)]) == ((), ["opened.json"])
    assert [line["event"] for line in logs] == ["how the cache was opened is not kept"]


async def test_a_note_that_is_cleared_away_meanwhile_stops_nothing(
    shelves: Shelves, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cleared(path: Path, target: Path) -> NoReturn:
        path.unlink()
        raise FileNotFoundError(2, "no such file", str(target))

    monkeypatch.setattr(Path, "replace", cleared)
    _, _, notices = await shelves.open(directory)
    assert (notices, files_in(directory)) == ((), [])


def test_what_is_noted_of_those_left_out_is_told_as_texts(directory: Path) -> None:
    assert left_out(directory) == []
    note_of(directory, {})
    for said, told in (['["a", 1]', ["a", "1"]], ['"a"', list[str]()]):
        (directory / "opened.json").write_text(f'{{"left_out": {said}}}', "utf-8")
        assert left_out(directory) == told


async def test_text_is_made_again_of_those_rows_alone_whose_fields_are_searched_otherwise(
    shelves: Shelves, directory: Path
) -> None:
    old = replace(toy(1, sku="AB-1"), text=SearchText(keys="ab 1"))
    await shelves.kept[ALWAYS].apply(listing(old))
    await shelves.open(directory)
    await shelves.kept[ALWAYS].apply(listing(old))
    with capture_logs() as logs:
        _, cache, _ = await shelves.open(directory)
        assert (await found_ids(cache, "ab1"), logs) == ([], [])
        note = noted(directory)
        note["searchable"] = {**cast("dict[str, str]", note["searchable"]), "toy": "another", "toy_tag": "another"}
        (directory / "opened.json").write_text(json.dumps(note), "utf-8")
        _, cache, _ = await shelves.open(directory)
    assert await found_ids(cache, "ab1") == [1]
    assert logs == [{"event": "cache reindexed", "log_level": "info", "entities": 1, "rows": 1}]


async def test_in_memory_no_text_is_made_again(shelves: Shelves) -> None:
    await shelves.memory[ALWAYS].apply(listing(replace(toy(1, sku="AB-1"), text=SearchText(keys="ab 1"))))
    _, cache, _ = await shelves.open(None)
    assert await found_ids(cache, "ab1") == []


@pytest.mark.parametrize("strict", [False, True])
async def test_what_a_trial_answers_otherwise_is_kept_or_raised(strict: bool) -> None:
    shelves = Shelves(is_strict=strict)
    _, cache, _ = await shelves.open(None, TRIAL)
    await shelves.memory[ALWAYS].apply(listing(toy(1)))
    if strict:
        with pytest.raises(Mismatch):
            await cache.get_many("toy", [1])
        return
    await cache.get_many("toy", [1])
    await cache.close()
    assert [(found.operation, found.mismatch is None) for found in shelves.kept_comparisons] == [("get_many", False)]


async def test_without_anybody_to_tell_what_a_trial_answers_otherwise_is_logged() -> None:
    shelves = Shelves(is_recorded=False)
    _, cache, _ = await shelves.open(None, TRIAL)
    await shelves.memory[ALWAYS].apply(listing(toy(1)))
    with capture_logs() as logs:
        await cache.get_many("toy", [1])
        await cache.close()
    assert [line["event"] for line in logs] == ["parallel run differs"]


async def test_a_damaged_file_that_was_set_aside_is_named(shelves: Shelves, directory: Path) -> None:
    shelves.kept[ALWAYS].set_aside = (directory / "typed-0.damaged",)
    _, _, notices = await shelves.open(directory)
    assert notices == ("a damaged cache file was set aside as typed-0.damaged and is rebuilt from Katana",)


async def test_a_cache_whose_files_cannot_be_used_is_kept_in_memory(shelves: Shelves, directory: Path) -> None:
    shelves.kept[ALWAYS].trouble["open"] = ALONE
    stores, cache, notices = await shelves.open(directory)
    assert (notices, stores.directory) == ((f"its disk is full{IN_MEMORY}",), None)
    assert (cache.backend_of("toy"), [looking for *_, looking in shelves.made]) == (
        shelves.memory[ALWAYS],
        [False] * 4,
    )
    shelves.memory[ALWAYS].trouble["open"] = CacheUnavailable("nothing helps")
    for place in (directory, None):
        with pytest.raises(CacheUnavailable, match=r"^nothing helps$"):
            await shelves.open(place)


async def test_a_cache_below_a_directory_of_others_is_kept_in_memory(shelves: Shelves, directory: Path) -> None:
    directory.parent.symlink_to(directory.parent.parent)
    _, cache, notices = await shelves.open(directory)
    why = f"the cache directory {directory.parent} is a symbolic link; name a real directory"
    assert (notices, cache.backend_of("toy")) == ((f"{why}{IN_MEMORY}",), shelves.memory[ALWAYS])


async def test_files_that_may_only_be_read_are_shown(shelves: Shelves, directory: Path) -> None:
    shelves.kept[ALWAYS].trouble["open"] = CacheReadOnly("its modes forbid it")
    stores, cache, notices = await shelves.open(directory)
    assert (notices, stores.directory) == ((f"its modes forbid it{ONLY_READ}",), directory)
    assert cache.backend_of("toy") == shelves.looking[ALWAYS]
    assert shelves.log == [f"{ALWAYS} open", f"looking {ALWAYS} open"]
    first = Selection(limit=1, visibility=EVERYTHING)
    assert shelves.looking[ALWAYS].selected == [(name, first) for name in ("toy_tag", *BOTH)]


@pytest.mark.parametrize("error", [CacheMissing("there is no file"), CacheError("it is of another make")])
async def test_files_that_may_not_be_written_and_do_not_hold_all_are_not_shown(
    shelves: Shelves, directory: Path, error: CacheError
) -> None:
    shelves.kept[ALWAYS].trouble["open"] = CacheReadOnly("its modes forbid it")
    shelves.looking[ALWAYS].trouble["select"] = error
    stores, cache, notices = await shelves.open(directory)
    assert (notices, stores.directory) == ((f"its modes forbid it{IN_MEMORY}",), None)
    assert cache.backend_of("toy") == shelves.memory[ALWAYS]
    assert shelves.log[:3] == [f"{ALWAYS} open", f"looking {ALWAYS} open", f"looking {ALWAYS} close"]


def test_what_ships_raises_no_difference() -> None:
    assert Parts((), {}).strict is False
