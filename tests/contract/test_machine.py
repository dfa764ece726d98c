"""Any history of writes, crashes, processes, rebuilds and flips leaves a cache with the answers of the reference."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from .backends import TOY_PARTS, TOYS, Kind
from .history import OF_EVERY_KIND, QUICK, SOFT, SOME, Cast, flips_of, machine_of, whole
from .strategies import ORDERS, STATUSES, conditions, phrases

TOY_FIELDS = st.fixed_dictionaries(
    {
        "sku": st.none() | phrases(),
        "name": st.none() | phrases(),
        "codes": st.lists(phrases(), max_size=2),
        "status": st.none() | STATUSES,
        "rows": st.lists(st.fixed_dictionaries({"note": phrases()}), max_size=2),
        "deleted_at": SOFT,
        "archived_at": SOFT,
    }
)
OWNER_FIELDS = st.fixed_dictionaries({"name": st.none() | phrases(), "email": phrases(), "deleted_at": SOFT})
CAST = Cast(
    world=TOYS,
    parts=TOY_PARTS,
    entities=("toy", "toy", "toy", "toy_owner"),
    fields={"toy": TOY_FIELDS, "toy_owner": OWNER_FIELDS},
    conditions=dict.fromkeys(("toy", "toy_owner"), st.lists(conditions(), max_size=2).map(tuple)),
    orders=dict.fromkeys(("toy", "toy_owner"), ORDERS),
    phrases=phrases(),
    misspelt=st.sampled_from(["rad", "blur", "redde", "blue rad", "smyth", "strase"]),
)


@pytest.mark.timeout(300)
@OF_EVERY_KIND
def test_a_history_leaves_the_same_answers_as_the_reference(kind: Kind) -> None:
    run_state_machine_as_test(machine_of(kind, CAST), settings=QUICK)


@pytest.mark.timeout(300)
def test_flags_flipped_at_any_moment_change_no_answer() -> None:
    run_state_machine_as_test(flips_of(CAST), settings=settings(QUICK, max_examples=6))


@pytest.mark.soak
@OF_EVERY_KIND
def test_any_history_leaves_the_same_answers_as_the_reference(kind: Kind) -> None:
    run_state_machine_as_test(machine_of(kind, CAST), settings=whole(kind))


@pytest.mark.soak
def test_flags_flipped_at_any_moment_of_any_history_change_no_answer() -> None:
    run_state_machine_as_test(flips_of(CAST), settings=SOME)
