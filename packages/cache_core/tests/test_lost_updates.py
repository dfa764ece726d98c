"""No update is lost: a busy account on virtual time, under skew, lag, moving pages and edits between them."""

from collections.abc import Callable

import pytest
from busy_account import CONDITIONS, Gadgets
from sync_world import Account


@pytest.mark.in_turn
@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(index, marks=pytest.mark.soak) for index in range(4, 10))])
async def test_after_rest_and_one_sync_no_row_differs(name: str, seed: int) -> None:
    account = Gadgets(CONDITIONS[name], seed, "gadget")
    cost = await account.work(12)
    assert cost < 4
    await account.rest()
    assert account.world.truth().items() <= (await account.world.cached()).items()


@pytest.mark.parametrize("seed", range(5))
async def test_after_an_audit_no_row_is_left_over_either(seed: int) -> None:
    account = Gadgets(CONDITIONS["everything at once"], seed, "gadget")
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
    account = Gadgets(CONDITIONS["everything at once"], seed, "gadget")
    check = never_backwards(account, {})
    account.world.syncer.listen(lambda progress: check())
    await account.work(12)
    check()
