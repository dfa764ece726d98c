"""A server that is measured in memory: a read, a refusal and a write, then what was kept of them, as JSON.

Told `otlp`, it sends instead, of reads and refusals whose names hold what nobody else is to read. Run as a process of
its own by `test_telemetry`: OpenTelemetry has one provider per process, for good.
"""

import asyncio
import json
import sys
from contextlib import suppress
from typing import Any

from fastmcp.exceptions import McpError
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import Settings
from katana_mcp.server.mcp import telemetry
from katana_mcp.testing import Setup, Stage, staged
from katana_mcp.testing.idle_loop import IdleLoop
from katana_sandbox import Drop, Fault, ManualClock, Sandbox

KEPT, READER = InMemorySpanExporter(), InMemoryMetricReader()


def _start(settings: Settings) -> None:
    assert settings.telemetry
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(KEPT))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([READER]))


def _to_json(span: ReadableSpan) -> dict[str, Any]:
    parent = span.parent and span.parent.span_id
    about = {key: value for key, value in (span.attributes or {}).items() if "session" not in key}
    context = span.get_span_context()
    return {
        "name": span.name,
        "kind": span.kind.name,
        "id": context and context.span_id,
        "parent": parent,
        "status": span.status.status_code.name,
        "about": about,
    }


def _points() -> dict[str, list[dict[str, Any]]]:
    data = READER.get_metrics_data()
    found: dict[str, list[dict[str, Any]]] = {}
    for resource in data.resource_metrics if data else ():
        for metric in (metric for scope in resource.scope_metrics for metric in scope.metrics):
            for point in metric.data.data_points:
                number = getattr(point, "count", None) or getattr(point, "value", None)
                found.setdefault(metric.name, []).append({"about": dict(point.attributes or {}), "number": number})
    return found


async def say_secrets(stage: Stage) -> None:
    """Name what is not there, in every way in which a client can name something."""
    await stage.refusal("get_customer", customer_id="secretwords")
    await stage.result("secretwords", {"secretwords": "secretwords"})
    for ask in (stage.client.read_resource("katana://journal/secretwords"), stage.client.get_prompt("secretwords")):
        with suppress(McpError):
            await ask


async def sent() -> None:
    """Be measured as the settings say."""
    async with staged(OwnSandbox(Sandbox(clock=ManualClock(auto=False))), Setup(flags={"telemetry": True})) as stage:
        await say_secrets(stage)


async def main() -> None:
    """Call a few tools."""
    # What is measured is kept here instead of sent.
    setattr(telemetry, "start", _start)  # noqa: B010 - as monkeypatch does it
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    async with staged(own, Setup(flags={"telemetry": True})) as stage:
        await stage.call("list_customers", limit=1)
        await stage.refusal("get_customer", customer_id="secret words of a person")
        for lost in (False, True):
            clock.advance(61)
            plan = await stage.call("create_supplier", name=f"secret words of a person {lost}")
            if lost:
                own.sandbox.faults.add(Fault("POST /suppliers", action=Drop("after")))
            await stage.result("apply_plan", {"plan_tokens": [plan["plan_token"]]})
    sys.stdout.write(
        json.dumps({"spans": [_to_json(span) for span in KEPT.get_finished_spans()], "metrics": _points()})
    )


if __name__ == "__main__":
    asyncio.run(sent() if "otlp" in sys.argv else main(), loop_factory=IdleLoop)
