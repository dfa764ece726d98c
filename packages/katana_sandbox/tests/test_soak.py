"""No request may be a server fault: every operation under bodies and queries drawn from the facts of the API."""

import asyncio
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from katana_sandbox import ManualClock, Sandbox, SandboxConfig
from katana_sandbox.registry import build_router
from katana_sandbox.wire.encoding import encode
from katana_schema.openapi import document
from katana_schema.reading import read_facts

EXAMPLES = 60
FIRST_ID, KNOWN_IDS = 10000101, 40
UNFORESEEN = b'{"error":{"statusCode":500,"message":"Internal Server Error","code":"ERR_NON_2XX_3XX_RESPONSE"}}'
"""What Katana itself answers where custom fields of a BOM row that is not there are cleared."""
OPERATIONS = [f"{method} {template}" for method, template in build_router().operations()]

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def description() -> Any:  # noqa: ANN401 - the library does not publish its types
    import schemathesis  # noqa: PLC0415 - 0.4 s of each run that only collects it

    return schemathesis.openapi.from_dict(document(read_facts()))


@pytest.mark.in_turn
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.timeout(600)
def test_nothing_is_a_server_fault(description: Any, operation: str) -> None:  # noqa: ANN401 - as above
    from schemathesis import GenerationMode  # noqa: PLC0415 - as above

    method, template = operation.split()
    described = description[template][method]
    sandbox = Sandbox(SandboxConfig(switches={"rate_limit": 0}), clock=ManualClock())
    cases = st.one_of(*(described.as_strategy(generation_mode=mode) for mode in GenerationMode))

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        phases=[Phase.generate],
    )
    @given(case=cases, aimed=st.booleans())
    def check(case: Any, aimed: bool) -> None:  # noqa: ANN401 - drawn by the library
        path, query, body = exchange(case, aimed=aimed)
        answer = asyncio.run(sandbox.caller().call(method, path, body, query))
        assert answer.status < 500 or answer.raw == UNFORESEEN, sandbox.requests()[-1].problem

    check()


def exchange(case: Any, *, aimed: bool) -> tuple[str, list[tuple[str, object]], bytes]:  # noqa: ANN401 - as above
    """Path, query and body of a case; an aimed one asks for ids that exist."""
    key = cast("dict[str, object]", case.path_parameters or {}).get("id", 0)
    if aimed:
        key = near(key) if isinstance(key, int) else FIRST_ID
    path = str(case.path).replace("{id}", str(key).replace("/", "-").encode("ascii", "ignore").decode() or "x")
    query = [(str(name), value) for name, value in cast("dict[str, object]", case.query or {}).items()]
    drawn: object = case.body
    plain = isinstance(drawn, dict | list | str | int | float | bool)
    return path, query, encoded(aim(cast("object", drawn)) if aimed else cast("object", drawn)) if plain else b""


def encoded(body: object) -> bytes:
    try:
        return encode(body)
    except ValueError:
        return b"{"


def aim(value: object, name: str = "") -> object:
    """The same body with ids that may exist."""
    if isinstance(value, dict):
        return {key: aim(member, key) for key, member in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [aim(item, name) for item in cast("list[object]", value)]
    if isinstance(value, int) and not isinstance(value, bool) and name.endswith(("id", "ids")):
        return near(value)
    return value


def near(key: int) -> int:
    return FIRST_ID + key % KNOWN_IDS
