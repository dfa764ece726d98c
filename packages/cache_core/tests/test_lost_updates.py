"""No update is lost: a busy account on virtual time, under skew, lag, moving pages and edits between them."""

from collections.abc import Callable

import pytest
from sync_world import Account, Condition

from cache_core.records import RecordId

ROWS = 500
CONDITIONS = {
    "calm": Condition(),
    "our clock five minutes ahead": Condition(skew=300, edits=2),
    "our clock five minutes behind": Condition(skew=-300, edits=2),
    "replicas lag up to 30 s": Condition(lag=30, edits=2),
    "replicas lag up to 600 s": Condition(lag=600, edits=2),
    "edits between pages": Condition(edits=5),
    "pages that move": Condition(edits=2, shifts=2),
    "rare reads and lag": Condition(lag=600, edits=2, pause=400),
    "everything at once": Condition(skew=-300, lag=600, edits=3, shifts=1),
}


class Gadgets(Account):
    """Gadgets that people change, delete without a trace and add."""

    entity = "gadget"

    def fill(self) -> None:
        self.last = 0
        for _ in range(ROWS):
            self.add()

    def add(self) -> None:
        self.last += 1
        self.source.put("gadget", {"id": self.last, "n": 0}, self.server.now())

    def any_gadget(self) -> RecordId:
        return self.random.choice(list(self.source.rows("gadget")))

    def edit(self) -> None:
        self.source.put("gadget", {"id": self.any_gadget(), "n": self.random.random()}, self.server.now())

    def shift(self) -> None:
        self.source.drop("gadget", self.any_gadget())
        self.add()


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("seed", range(10))
async def test_after_rest_and_one_sync_no_row_differs(name: str, seed: int) -> None:
    account = Gadgets(CONDITIONS[name], seed)
    cost = await account.work(12)
    assert cost < 4
    await account.rest()
    assert account.world.truth().items() <= (await account.world.cached()).items()


@pytest.mark.parametrize("seed", range(5))
async def test_after_an_audit_no_row_is_left_over_either(seed: int) -> None:
    account = Gadgets(CONDITIONS["everything at once"], seed)
    await account.work(12)
    await account.rest()
    await account.world.syncer.audit("gadget")
    account.pass_time(20 * 60)
    await account.world.syncer.audit("gadget")
    assert await account.world.cached() == account.world.truth()


def never_backwards(account: Account, seen: dict[object, str]) -> Callable[[], None]:
    """Return a check that no row's version ever went down."""

    def check() -> None:
        rows = account.world.cache.rows("gadget")
        assert all(rows.get(key, version) >= version for key, version in seen.items())
        seen.clear()
        seen.update(rows)

    return check


@pytest.mark.parametrize("seed", range(5))
async def test_no_row_ever_goes_back_to_an_older_version(seed: int) -> None:
    account = Gadgets(CONDITIONS["everything at once"], seed)
    check = never_backwards(account, {})
    account.world.syncer.listen(lambda progress: check())
    await account.work(12)
    check()
