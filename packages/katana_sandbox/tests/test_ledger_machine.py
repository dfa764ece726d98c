"""The stock ledger under random documents of every kind; the soak takes many times as many steps."""

import sys

import pytest
from hypothesis import HealthCheck, settings

from .ledger_machine import LedgerMachine

STEPS = 10_000
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


class TestLedger(LedgerMachine.TestCase):
    """Enough to see each rule several times."""

    settings = settings(max_examples=20, stateful_step_count=40, deadline=None, suppress_health_check=_SLOW)


@pytest.mark.soak
@pytest.mark.timeout(3600)
class TestLedgerSoak(LedgerMachine.TestCase):
    """At least `STEPS` of them."""

    settings = settings(max_examples=300, stateful_step_count=50, deadline=None, suppress_health_check=_SLOW)

    def runTest(self) -> None:  # noqa: N802 - the name that the library calls
        """Run the machine and count."""
        before = LedgerMachine.steps
        super().runTest()
        steps = LedgerMachine.steps - before
        sys.stdout.write(f"\n{steps} steps\n")
        assert steps >= STEPS
