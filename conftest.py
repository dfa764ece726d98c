"""What holds for every test of the workspace."""

import gc
import json
import os
import signal
import sys
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import settings
from jsonschema import Draft202012Validator
from mcp.client.session import ClientSession
from mcp.types import CallToolResult

from katana_mcp.server.made_tools import tools
from katana_mcp.testing.idle_loop import IdleLoop

pytest_plugins = ["tests.at_night", "tests.budget", "tests.first_imports"]

# What is imported and collected stays, so nobody looks for garbage in it until `tests/budget.py` lets them.
gc.disable()

# Each of some hundred processes that tests start would compile two thousand modules anew, each run rewrite 300 files.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# httpx asks for it at each request of an application in this process, and Python looks for it everywhere.
sys.modules.setdefault("sniffio", None)  # ty: ignore[no-matching-overload]  # pyright: ignore[reportArgumentType]

# Hypothesis would fail what takes longer than 200 ms, on a loaded machine anything.
settings.register_profile("whatever it takes", deadline=None)
settings.load_profile("whatever it takes")

# A shell that runs the tests in the background, or `nohup`, has them ignore signals, and what they start inherits that.
for _number, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)

_CHECKED: set[str] = set()
_check = Draft202012Validator.check_schema


def _check_once(schema: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as jsonschema has it
    """Check a schema that was not checked in this process: every session of an MCP client checks those it uses."""
    key = json.dumps(schema, sort_keys=True, default=repr)
    if key not in _CHECKED:
        _check(schema, *args, **kwargs)
        _CHECKED.add(key)


Draft202012Validator.check_schema = _check_once  # ty: ignore[invalid-assignment]

_OURS = {tool.name for tool in tools()}
_OUTPUTS: dict[str, dict[str, Any] | None] = {}
_validate = ClientSession.validate_tool_result


async def _validate_listed(self: ClientSession, name: str, result: CallToolResult) -> None:
    """Check an answer of ours by the schema listed before in this process: each session would list ninety tools."""
    known: dict[str, dict[str, Any] | None] = vars(self)["_tool_output_schemas"]
    if name in _OUTPUTS:
        known.setdefault(name, _OUTPUTS[name])
    await _validate(self, name, result)
    _OUTPUTS.update((tool, schema) for tool, schema in vars(self)["_tool_output_schemas"].items() if tool in _OURS)


ClientSession.validate_tool_result = _validate_listed


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes longest begin first, so that nothing is left to wait for alone."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], AbstractEventLoop]]:
    """Run each test on a loop that tells when virtual time may pass."""
    return {"idle": IdleLoop}


@pytest.fixture
def heap_of_its_own() -> Iterator[None]:
    """Keep out of the garbage collector's way what pytest and earlier tests made: a look through it takes 0.1 s."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
