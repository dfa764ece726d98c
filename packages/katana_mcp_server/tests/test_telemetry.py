"""Spans and metrics: what they hold and never hold, where they go, and that nothing is loaded that nobody asked for."""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fastmcp.tools.base import ToolResult
from http_door import TOKEN, opened
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.server.mcp.telemetry import Instruments, measured, route_of
from katana_mcp.server.mcp.transports import check_door

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    command = [sys.executable, str(HERE / "measured_server.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "secret words" not in done.stdout.splitlines()[-1]
    return json.loads(done.stdout.splitlines()[-1])


def test_requests_to_katana_are_children_of_the_call_that_made_them_without_their_queries(kept: dict[str, Any]) -> None:
    calls = {span["id"]: span for span in kept["spans"] if span["kind"] == "SERVER"}
    asked = [span for span in kept["spans"] if span["kind"] == "CLIENT" and "url.template" in span["about"]]
    assert {calls[row["parent"]]["name"] for row in asked} == {
        *("tools/call list_customers", "tools/call get_customer"),
        *("tools/call create_supplier", "tools/call apply_plan"),
    }
    assert {row["name"] for row in asked} >= {"GET /customers", "POST /suppliers"}
    assert not [request for request in asked if "?" in json.dumps(request)]
    lost = [row for row in asked if row["status"] == "ERROR"]
    assert [(row["name"], row["about"]["outcome"]) for row in lost] == [("POST /suppliers", "unknown")]


def test_a_refusal_has_its_code_in_the_span_of_the_call_and_is_an_error(kept: dict[str, Any]) -> None:
    failed = [span for span in kept["spans"] if span["kind"] == "SERVER" and span["status"] == "ERROR"]
    assert [(row["name"], row["about"]["error.type"]) for row in failed] == [("tools/call get_customer", "not_found")]


def test_requests_waits_ages_and_writes_are_counted(kept: dict[str, Any]) -> None:
    metrics = {
        name: {tuple(sorted(point["about"].items())): point["number"] for point in points}
        for name, points in kept["metrics"].items()
    }
    made = sum(metrics["katana.request.duration"].values())
    assert (
        made
        == metrics["katana.request.wait"][()]
        == len([span for span in kept["spans"] if "attempt" in span["about"]])
    )
    assert metrics["katana_mcp.writes"] == {(("outcome", "applied"),): 1, (("outcome", "unknown"),): 1}
    refused = (("code", "not_found"), ("outcome", "refused"), ("tool", "get_customer"))
    assert metrics["katana_mcp.tool.duration"][refused] == 1
    assert metrics["katana_mcp.answer.overdue"][(("tool", "list_customers"),)] == 1


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/purchase_orders/12/rows/3", "/purchase_orders/{id}/rows/{id}"),
        ("/bom_rows/6513270e-269e-4d37-b2a7-4de452e6b438", "/bom_rows/{id}"),
        ("/v2_things", "/v2_things"),
    ],
)
def test_no_id_makes_a_name_of_its_own(path: str, route: str) -> None:
    assert route_of(path) == route


def test_without_the_optional_part_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.metric_exporter", None)
    for flag in ("telemetry", "metrics"):
        with pytest.raises(SettingsError, match=rf"--{flag}\): measuring is an optional part: install .*\[otel\]$"):
            measured(load(sandbox=True, **{flag: True}))


def test_a_page_that_nothing_serves_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"\(--metrics\): the page is served over HTTP"):
        check_door(load(sandbox=True, metrics=True))


def test_nothing_is_loaded_that_nobody_asked_for() -> None:
    program = (
        "import sys; from katana_mcp.configuration.settings import load;"
        "from katana_mcp.server.application import application; application(load(sandbox=True));"
        "print([name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'prometheus_client'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


class _Collector(BaseHTTPRequestHandler):
    got: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        self.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_what_is_measured_goes_where_the_variables_of_opentelemetry_say(tmp_path: Path) -> None:
    handler = type("Collector", (_Collector,), {"got": list[tuple[str, bytes]]()})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{server.server_port}"
        environment = os.environ | {"HOME": str(tmp_path), "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
        command = [sys.executable, str(HERE / "measured_server.py"), "otlp"]
        subprocess.run(command, capture_output=True, check=True, env=environment, cwd=tmp_path)
        server.shutdown()
    sent = dict(handler.got)
    assert set(sent) == {"/v1/traces", "/v1/metrics"}
    assert all(name in sent["/v1/traces"] for name in (b"tools/call get_customer", b"resources/read", b"prompts/get"))
    assert b"katana_mcp.tool.duration" in sent["/v1/metrics"]
    for body in sent.values():
        assert b"secretwords" not in body
        assert b"limit=" not in body


async def test_prometheus_is_shown_a_page_by_who_has_the_token(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, metrics=True) as door:
        here = {"Host": f"127.0.0.1:{door.port}"}
        assert (await door.request("GET", here, path="/metrics"))[0] == 401
        allowed = {**here, "Authorization": f"Bearer {TOKEN}"}
        await door.knock(allowed)
        status, page = await door.request("GET", allowed, path="/metrics")
        assert status == 200
        assert "python_info" in page


async def test_an_answer_of_another_server_is_measured_only_where_it_has_our_form() -> None:
    meter = MeterProvider([InMemoryMetricReader()]).get_meter("x")
    instruments = Instruments(TracerProvider().get_tracer("x"), meter)
    for stale in (True, [1], "x", {"age_seconds": None}, {"age_seconds": "x"}, {}, None):
        instruments.called("rates", 0.1, ToolResult([], {"as_of": "2026-11-26", "stale": stale}))
