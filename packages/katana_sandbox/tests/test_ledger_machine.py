"""The stock ledger under random documents of every kind; the soak takes many times as many steps."""

import sys

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from .ledger_machine import LedgerMachine

STEPS = 10_000
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
SOME = settings(max_examples=6, stateful_step_count=40, deadline=None, suppress_health_check=SLOW)
MANY = settings(max_examples=300, stateful_step_count=50, deadline=None, suppress_health_check=SLOW)


def test_documents_of_every_kind_keep_the_ledger_right() -> None:
    run_state_machine_as_test(LedgerMachine, settings=SOME)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_ten_thousand_documents_keep_the_ledger_right() -> None:
    before = LedgerMachine.steps
    run_state_machine_as_test(LedgerMachine, settings=MANY)
    steps = LedgerMachine.steps - before
    sys.stdout.write(f"\n{steps} steps\n")
    assert steps >= STEPS
