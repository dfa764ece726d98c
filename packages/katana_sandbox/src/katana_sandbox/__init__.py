"""A stateful offline stand-in for the Katana API."""

from katana_sandbox.caller import Answer, Caller
from katana_sandbox.clock import Clock, ManualClock, SystemClock
from katana_sandbox.faults.actions import (
    Action,
    ClockOffset,
    Delay,
    Drip,
    Drop,
    DroppedConnection,
    EditBody,
    EditHeaders,
    EmptyPage,
    Hang,
    HungConnection,
    MissingHeader,
    Mutate,
    ReplicaLag,
    Status,
    Truncate,
)
from katana_sandbox.faults.script import Fault, FaultScript, Match, parse_faults
from katana_sandbox.journal import Journal, JournalEntry
from katana_sandbox.sandbox import Sandbox, SandboxConfig
from katana_sandbox.scenarios import SCENARIOS, Scenario
from katana_sandbox.snapshot import BadState
from katana_sandbox.switch_list import SWITCHES, Switch
from katana_sandbox.switches import Switches
from katana_sandbox.tenant import Tenant
from katana_sandbox.wire.errors import Refused

__all__ = [
    "SCENARIOS",
    "SWITCHES",
    "Action",
    "Answer",
    "BadState",
    "Caller",
    "Clock",
    "ClockOffset",
    "Delay",
    "Drip",
    "Drop",
    "DroppedConnection",
    "EditBody",
    "EditHeaders",
    "EmptyPage",
    "Fault",
    "FaultScript",
    "Hang",
    "HungConnection",
    "Journal",
    "JournalEntry",
    "ManualClock",
    "Match",
    "MissingHeader",
    "Mutate",
    "Refused",
    "ReplicaLag",
    "Sandbox",
    "SandboxConfig",
    "Scenario",
    "Status",
    "Switch",
    "Switches",
    "SystemClock",
    "Tenant",
    "Truncate",
    "parse_faults",
]
