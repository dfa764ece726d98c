"""Which account a key opens: what is asked of Katana, for how long it is waited, and what is remembered."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from structlog.testing import capture_logs

from cache_core.testing import ManualClock as HeldClock
from katana_client import KatanaClient, ManualClock
from katana_client.sending import Patience
from katana_mcp.caches.accounts.tenancy import AccountMatch, ApiKeyClient, Tenancy
from katana_mcp.caches.accounts.tenants import Oldest, Tenants, identity

FIRST, SECOND, THIRD = ("1" * 24, "2" * 24, "3" * 24)
BASE = "https://api.katanamrp.com/v1"
HERE = identity(BASE, "")
PLACES = [
    {"id": 7, "created_at": "2024-01-02T00:00:00.000Z", "name": "b"},
    {"id": 9, "created_at": "2024-01-01T00:00:00.000Z", "name": "c"},
    {"id": 8, "created_at": "2024-01-01T00:00:00.000Z", "name": "a", "deleted_at": "2025-01-01T00:00:00.000Z"},
]
NOWHERE: list[object] = []
OLDEST = Oldest(base=HERE, id=8, created_at="2024-01-01T00:00:00.000Z")
OTHER = Oldest(base=HERE, id=5, created_at="2024-01-01T00:00:00.000Z")


class Timed(HeldClock):
    """A clock that notes for how long it was waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        await super().sleep(seconds)


class Key:
    """A key, and a Katana that answers it with these locations: None for a fault, no sequence for no answer.

    Attributes:
        asked: queries that were asked.
        key: what a tenancy knows of it.
    """

    def __init__(self, digest: str, places: Sequence[object] | str | None = PLACES) -> None:
        self.asked: list[str] = []

        async def handle(request: httpx.Request) -> httpx.Response:
            self.asked.append(str(request.url).removeprefix(BASE).partition("&")[0])
            if places == "silent":
                await asyncio.Event().wait()
            if places is None:
                return httpx.Response(401, json={"message": "no"})
            count = str(len(places))
            pages = {"total_records": count, "total_pages": "1", "offset": "0", "page": "1"}
            header = json.dumps({**pages, "first_page": "true", "last_page": "true"})
            return httpx.Response(200, json={"data": [*places]}, headers={"x-pagination": header})

        transport = httpx.MockTransport(handle)
        client = KatanaClient("a-key", transport=transport, clock=ManualClock(), patience=Patience(tries=1))
        self.key = ApiKeyClient(digest, client)


async def settled() -> None:
    """Let everything that can run without time passing run."""
    for _ in range(50):
        await asyncio.sleep(0)


def tenancy(root: Path | None, clock: Timed | None = None) -> Tenancy:
    """Return what tells accounts apart, remembered below this directory."""
    return Tenancy(root, f"{BASE}/", clock or Timed())


async def test_a_key_of_a_new_account_names_its_cache_and_costs_one_request_ever(tmp_path: Path) -> None:
    first, again = Key(FIRST), Key(FIRST, None)
    assert await tenancy(tmp_path).of(first.key) == FIRST
    assert first.asked == ["/locations?include_deleted=true"]
    assert Tenants(tmp_path).oldest(FIRST) == OLDEST
    assert (await tenancy(tmp_path).of(again.key), again.asked) == (FIRST, [])
    assert await tenancy(tmp_path).of(Key(SECOND).key) == FIRST
    assert await tenancy(tmp_path).of(Key(THIRD, PLACES[:1]).key) == THIRD


@pytest.mark.parametrize("places", [None, NOWHERE, [{"id": 1, "name": "no time"}]])
async def test_a_key_whose_account_katana_does_not_tell_is_on_its_own_and_nothing_is_remembered(
    places: Sequence[object] | None, tmp_path: Path
) -> None:
    key = Key(FIRST, places)
    assert await tenancy(tmp_path).of(key.key) == FIRST
    assert (Tenants(tmp_path).of_key(FIRST), len(key.asked)) == (None, 1)


async def test_without_a_directory_nobody_is_asked() -> None:
    key = Key(FIRST)
    assert (await tenancy(None).of(key.key), key.asked) == (FIRST, [])


@pytest.mark.parametrize(("has_cache", "seconds"), [(False, 3.0), (True, 0.8)])
async def test_katana_gets_less_time_where_the_key_has_a_cache(has_cache: bool, seconds: float, tmp_path: Path) -> None:
    if has_cache:
        (tmp_path / FIRST).mkdir()
    clock, key = Timed(), Key(FIRST, "silent")
    telling = asyncio.create_task(tenancy(tmp_path, clock).of(key.key))
    await settled()
    assert (telling.done(), clock.sleeps, len(key.asked)) == (False, [seconds], 1)
    clock.advance(seconds)
    assert await telling == FIRST
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


SAME, DIFFERENT, UNKNOWN = AccountMatch.SAME, AccountMatch.DIFFERENT, AccountMatch.UNKNOWN


@pytest.mark.parametrize(
    ("places", "match", "asked"),
    [
        ((PLACES, PLACES), SAME, [1, 1]),
        ((PLACES, PLACES[:1]), DIFFERENT, [1, 1]),
        ((PLACES, None), UNKNOWN, [1, 1]),
        ((None, PLACES), UNKNOWN, [1, 0]),
        ((NOWHERE, NOWHERE), UNKNOWN, [1, 0]),
    ],
)
@pytest.mark.parametrize("kept", [False, True])
async def test_two_keys_that_are_unknown_are_both_asked_about_and_forgotten(
    places: tuple[Sequence[object] | None, Sequence[object] | None],
    match: AccountMatch,
    asked: list[int],
    kept: bool,
    tmp_path: Path,
) -> None:
    first, second = (Key(digest, some) for digest, some in zip((FIRST, SECOND), places, strict=True))
    assert await tenancy(tmp_path if kept else None).same(FIRST, first.key, second.key) is match
    assert [len(first.asked), len(second.asked)] == asked
    assert Tenants(tmp_path).of_key(SECOND) is None


@pytest.mark.parametrize(
    ("theirs", "match", "known"), [(PLACES, SAME, FIRST), (PLACES[:1], DIFFERENT, None), (None, UNKNOWN, None)]
)
async def test_of_a_known_tenant_the_other_key_alone_is_asked_about_once(
    theirs: Sequence[object] | None, match: AccountMatch, known: str | None, tmp_path: Path
) -> None:
    Tenants(tmp_path).join(FIRST, OLDEST)
    first, second = Key(FIRST, None), Key(SECOND, theirs)
    assert await tenancy(tmp_path).same(FIRST, first.key, second.key) is match
    assert (first.asked, len(second.asked), Tenants(tmp_path).of_key(SECOND)) == ([], 1, known)


@pytest.mark.parametrize(("oldest", "match"), [(OLDEST, SAME), (OTHER, DIFFERENT)])
async def test_of_two_known_keys_nobody_is_asked(oldest: Oldest, match: AccountMatch, tmp_path: Path) -> None:
    Tenants(tmp_path).join(FIRST, OLDEST)
    Tenants(tmp_path).join(SECOND, oldest)
    first, second = Key(FIRST), Key(SECOND)
    assert await tenancy(tmp_path).same(FIRST, first.key, second.key) is match
    assert (first.asked, second.asked) == ([], [])


def test_a_key_joins_the_tenant_of_its_account_and_stays_there(tmp_path: Path) -> None:
    table = Tenants(tmp_path / "root")
    assert (table.of_key(FIRST), table.oldest(FIRST)) == (None, None)
    assert [table.join(digest, oldest) for digest, oldest in ((FIRST, OLDEST), (SECOND, OLDEST), (THIRD, OTHER))] == [
        FIRST,
        FIRST,
        THIRD,
    ]
    # What a key was found to open once is not changed.
    assert table.join(SECOND, OTHER) == FIRST
    assert [table.of_key(digest) for digest in (FIRST, SECOND, THIRD)] == [FIRST, FIRST, THIRD]
    assert [table.oldest(digest) for digest in (FIRST, SECOND, THIRD)] == [OLDEST, None, OTHER]
    files = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "root").iterdir()}
    assert files == {"tenants.json": 0o600, "tenants.lock": 0o600}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("no table", "JSONDecodeError"),
        ('{"keys": {"../x": "' + FIRST + '"}}', "ValidationError"),
        ('{"keys": {"' + FIRST + '": "' + FIRST + '0"}}', "ValidationError"),
        ("[" * 100_000, "RecursionError"),
    ],
)
def test_a_table_that_cannot_be_read_counts_as_empty_and_is_written_anew(text: str, error: str, tmp_path: Path) -> None:
    (tmp_path / "tenants.json").write_text(text)
    with capture_logs() as logs:
        assert Tenants(tmp_path).of_key(FIRST) is None
    event = {"event": "the table of tenants cannot be read", "log_level": "warning", "reason": error}
    assert logs == [event]
    assert Tenants(tmp_path).join(FIRST, OLDEST) == FIRST
    assert Tenants(tmp_path).oldest(FIRST) == OLDEST


def test_a_table_that_cannot_be_written_is_not_and_the_tenant_is_told_all_the_same(tmp_path: Path) -> None:
    root = tmp_path / "a file"
    root.write_text("")
    with capture_logs() as logs:
        assert Tenants(root).join(FIRST, OLDEST) == FIRST
    assert [log["event"] for log in logs] == [
        "the table of tenants cannot be written",
        "the table of tenants cannot be read",
    ]
    (tmp_path / "tenants.json").mkdir()
    with capture_logs() as logs:
        assert Tenants(tmp_path).join(FIRST, OLDEST) == FIRST
    assert logs[-1]["event"] == "the table of tenants cannot be written"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a file", "tenants.json", "tenants.lock"]


def test_a_key_is_named_by_the_digest_of_its_address_and_itself() -> None:
    names = [identity(BASE, "k"), identity(f"{BASE}/", "k"), identity(BASE, "l"), identity(f"{BASE}x", "k")]
    assert [name == names[0] for name in names] == [True, True, False, False]
    assert {len(name) for name in names} == {24}
    assert names[0] == "c0aed3c585ba0c2b4bdbf7a1"
