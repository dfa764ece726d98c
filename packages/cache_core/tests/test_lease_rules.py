"""The rules of leases: who is granted one, when it ends, what it refuses, and the text that is stored of it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from cache_core.errors import LeaseLost
from cache_core.leases import (
    Claim,
    Lease,
    decode_lease,
    encode_lease,
    granted,
    lease_line,
    refuse_stale,
    voided,
)
from cache_core.records import iso
from cache_core.testing import START


def at(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


def claim(holder: str, seconds: float, lasts: float = 10) -> Claim:
    """Return a claim of the toy's lease at a moment."""
    return Claim("toy", holder, at(seconds), lasts)


HELD = Lease("toy", "a", 3, at(0), at(10))


def test_the_first_claim_is_granted_with_the_first_epoch() -> None:
    assert granted(claim("a", 0), None) == Lease("toy", "a", 1, at(0), at(10))
    assert granted(claim("a", 0, 2.5), None).until == at(2.5)


@pytest.mark.parametrize(
    ("moment", "is_held"),
    [(-0.001, False), (0, True), (9.999, True), (10, False), (10.001, False)],
    ids=["before it was taken", "when it was taken", "just before its end", "at its end", "after its end"],
)
def test_another_holder_waits_from_the_taking_of_a_lease_to_its_end(moment: float, *, is_held: bool) -> None:
    wanted = Lease("toy", "b", 4, at(moment), at(moment + 10))
    assert granted(claim("b", moment), HELD) == (HELD if is_held else wanted)


@pytest.mark.parametrize("moment", [-5, 5, 50])
def test_the_holder_itself_renews_with_the_same_epoch_whenever_it_asks(moment: float) -> None:
    assert granted(claim("a", moment), HELD) == Lease("toy", "a", 3, at(moment), at(moment + 10))


def test_a_lease_for_no_time_is_free_at_once() -> None:
    given_back = granted(claim("a", 5, 0), HELD)
    assert given_back == Lease("toy", "a", 3, at(5), at(5))
    assert granted(claim("b", 5), given_back) == Lease("toy", "b", 4, at(5), at(15))


def test_a_voided_lease_is_nobodys_and_refuses_what_its_holder_still_writes() -> None:
    free = voided(HELD)
    assert free == Lease("toy", "", 4, at(0), at(0))
    assert granted(claim("a", 0), free) == Lease("toy", "a", 5, at(0), at(10))
    with pytest.raises(LeaseLost, match=r"^another process syncs 'toy' now$"):
        refuse_stale(HELD, free)


def test_a_write_is_refused_only_under_a_lease_of_another_epoch() -> None:
    refuse_stale(None, None)
    refuse_stale(None, HELD)
    refuse_stale(HELD, HELD)
    refuse_stale(HELD, replace(HELD, holder="b", taken_at=at(1), until=at(2)))
    for standing in (None, replace(HELD, epoch=2), replace(HELD, epoch=4)):
        with pytest.raises(LeaseLost, match=r"^another process syncs 'toy' now$"):
            refuse_stale(HELD, standing)


def test_the_text_of_a_lease_is_read_as_it_was_written() -> None:
    text = encode_lease(HELD)
    assert text == (
        '{"entity":"toy","holder":"a","epoch":3,"taken_at":"2026-03-02T08:00:00.000Z",'
        '"until":"2026-03-02T08:00:10.000Z"}'
    )
    assert decode_lease(text) == HELD


@pytest.mark.parametrize("text", [None, "", "{}", "nonsense", '{"entity":"toy"}'])
def test_a_text_that_is_no_lease_is_none(text: str | None) -> None:
    assert decode_lease(text) is None


def test_a_lease_is_kept_under_the_name_of_its_entity() -> None:
    assert lease_line("sales_order") == "lease of sales_order"
