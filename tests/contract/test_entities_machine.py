"""Any history of the nine entities that have a flag leaves a cache with the answers of the reference."""

from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from cache_core.conditions import Order
from katana_mcp.caches.stores import PARTS

from .backends import CATALOGUE, Kind
from .entities import NINE, TEXT, comparable, conditions_on, fields_of
from .history import OF_EVERY_KIND, QUICK, WHOLE, Cast, flips_of, machine_of

CAST = Cast(
    world=CATALOGUE,
    parts=replace(PARTS, strict=True),
    entities=(*(spec.name for spec in NINE), "variant", "variant", "product"),
    fields={spec.name: fields_of(spec) for spec in NINE},
    conditions={spec.name: st.lists(conditions_on(spec), max_size=2).map(tuple) for spec in NINE},
    orders={spec.name: st.builds(Order, st.sampled_from(sorted(comparable(spec))), st.booleans()) for spec in NINE},
    phrases=TEXT | st.sampled_from(["blue", "stahl", "00.4021", "004021", "mull", "a1", "sup-1", "ops@x.io", "30"]),
    misspelt=st.sampled_from(["widgt", "stahlrhr", "muler", "smyth", "bleu", "0040210"]),
)
SHORT = settings(QUICK, max_examples=3, stateful_step_count=25)
FLIPPED = settings(QUICK, max_examples=4, stateful_step_count=30)
# 2,000 steps: half a minute to a minute and a half a kind on two busy cores.
LONG = settings(WHOLE, max_examples=50, stateful_step_count=40)


@OF_EVERY_KIND
def test_a_history_of_entities_leaves_the_same_answers_as_the_reference(kind: Kind) -> None:
    run_state_machine_as_test(machine_of(kind, CAST), settings=SHORT)


def test_an_entity_flipped_at_any_moment_changes_no_answer() -> None:
    run_state_machine_as_test(flips_of(CAST), settings=FLIPPED)


@pytest.mark.soak
@OF_EVERY_KIND
def test_any_history_of_entities_leaves_the_same_answers_as_the_reference(kind: Kind) -> None:
    run_state_machine_as_test(machine_of(kind, CAST), settings=LONG)


@pytest.mark.soak
def test_entities_flipped_at_any_moment_of_any_history_change_no_answer() -> None:
    run_state_machine_as_test(flips_of(CAST), settings=LONG)
