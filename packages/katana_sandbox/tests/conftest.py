"""A sandbox on a virtual clock without a request budget, and callers into it."""

import pytest

from katana_sandbox import Caller, ManualClock, Sandbox, SandboxConfig, Tenant


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def sandbox(clock: ManualClock) -> Sandbox:
    return Sandbox(SandboxConfig(switches={"rate_limit": 0}), clock=clock)


@pytest.fixture
def tenant(sandbox: Sandbox) -> Tenant:
    return sandbox.tenant()


@pytest.fixture
def api(sandbox: Sandbox) -> Caller:
    return sandbox.caller()


@pytest.fixture
def empty(clock: ManualClock) -> Sandbox:
    return Sandbox(SandboxConfig(switches={"rate_limit": 0}, empty=True), clock=clock)
