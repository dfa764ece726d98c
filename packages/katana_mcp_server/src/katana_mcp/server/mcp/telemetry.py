"""Spans and metrics by OpenTelemetry, where they were asked for: tool calls, Katana's requests, waits, ages, writes.

FastMCP opens the span of a call. Here it gets the code of a refusal, and Katana's requests become its children. Neither
arguments nor query strings, neither keys nor texts of records are part of any of it.
"""

import os
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.types import CallToolRequestParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from katana_client import RequestRecord
from katana_mcp import __version__
from katana_mcp.configuration.settings import Settings, SettingsError

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Tracer

PAGE = "/metrics"
_NAME = "katana-mcp"
_IDS = re.compile(r"/(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27})(?=/|$)")
_PATIENCE = 2.0
"""Seconds for the collector to take what is sent, where OpenTelemetry's own variables say nothing else: at the end of
the process somebody waits for it."""
_NANO = 1_000_000_000
_SAID = frozenset({"mcp.resource.uri", "gen_ai.prompt.name", "fastmcp.component.key"})
"""Attributes of the framework's spans that may hold what a client has said."""


def measured(settings: Settings) -> "Instruments | None":
    """Return what measures; None where nothing is asked for, and then nothing of it is loaded.

    Raises:
        SettingsError: the optional part that measures is not installed.
    """
    if not (settings.telemetry or settings.metrics):
        return None
    try:
        start(settings)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(("opentelemetry", "prometheus_client")):
            raise
        asked = "KATANA_MCP_TELEMETRY (--telemetry)" if settings.telemetry else "KATANA_MCP_METRICS (--metrics)"
        raise SettingsError(f"{asked}: measuring is an optional part: install katana-factory-mcp[otel]") from None
    from opentelemetry import metrics, trace  # noqa: PLC0415 - only where it was asked for

    return Instruments(trace.get_tracer(_NAME, __version__), metrics.get_meter(_NAME, __version__))


def start(settings: Settings) -> None:
    """Send to where the variables of OpenTelemetry say, this machine by default, and keep what the page shows."""
    from opentelemetry import metrics, trace  # noqa: PLC0415 - an optional part
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415 - as above
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - as above
    from opentelemetry.exporter.prometheus import PrometheusMetricReader  # noqa: PLC0415 - as above
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415 - as above
    from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader  # noqa: PLC0415 - as above
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult  # noqa: PLC0415 - as above
    from opentelemetry.trace import SpanKind, Status  # noqa: PLC0415 - as above

    class OwnSpans(OTLPSpanExporter):
        """Sends the spans of the server, without what a client has said in the framework's own."""

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            """Send them; those of a client in the same process hold the text of refusals."""
            mine = [span for span in spans if span.kind is not SpanKind.CLIENT or _is_own(span)]
            return super().export([span if _is_own(span) else _without_texts(span) for span in mine])

    def _without_texts(span: ReadableSpan) -> ReadableSpan:
        """Return a span without its events, what its status says, and names that a client gave."""
        kept = {name: value for name, value in (span.attributes or {}).items() if name not in _SAID}
        return ReadableSpan(
            name=span.name if span.name.startswith("tools/") else span.name.partition(" ")[0],
            context=span.get_span_context(),
            parent=span.parent,
            resource=span.resource,
            attributes=kept,
            kind=span.kind,
            instrumentation_scope=span.instrumentation_scope,
            status=Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
        )

    def _is_own(span: ReadableSpan) -> bool:
        return span.instrumentation_scope is not None and span.instrumentation_scope.name == _NAME

    said = any(name.startswith("OTEL_EXPORTER_OTLP") and name.endswith("TIMEOUT") for name in os.environ)
    patience = None if said else _PATIENCE
    resource = Resource.create({"service.name": _NAME, "service.version": __version__})
    readers: list[MetricReader] = []
    if settings.telemetry:
        provider = TracerProvider(resource=resource)
        provider.add_span_processor(BatchSpanProcessor(OwnSpans(timeout=patience)))
        trace.set_tracer_provider(provider)
        readers.append(PeriodicExportingMetricReader(OTLPMetricExporter(timeout=patience)))
    if settings.metrics:
        readers.append(PrometheusMetricReader())
    metrics.set_meter_provider(MeterProvider(readers, resource))


def route_of(path: str) -> str:
    """Return the path of a request without the ids in it: `/purchase_orders/{id}`."""
    return _IDS.sub("/{id}", path)


class Instruments:
    """What is measured, under the names that OpenTelemetry asks for: seconds, and counts."""

    def __init__(self, tracer: "Tracer", meter: "Meter") -> None:
        self._tracer = tracer
        self._requests = meter.create_histogram("katana.request.duration", "s", "Requests to Katana")
        self._waits = meter.create_histogram("katana.request.wait", "s", "Waits for a place among Katana's 60 a minute")
        self._calls = meter.create_histogram("katana_mcp.tool.duration", "s", "Calls of tools")
        self._ages = meter.create_histogram(
            "katana_mcp.answer.overdue", "s", "How stale answers were; 0: as fresh as due"
        )
        self._writes = meter.create_counter("katana_mcp.writes", "{write}", "Writes to Katana by outcome")

    def requested(self, request: RequestRecord) -> None:
        """Note a request to Katana that has ended."""
        from opentelemetry.trace import SpanKind, Status, StatusCode  # noqa: PLC0415 - only where it was asked for

        route, now = route_of(request.path), time.time_ns()
        about: dict[str, str | int] = {"http.request.method": request.method, "url.template": route}
        about |= (
            {"outcome": request.outcome} if request.status is None else {"http.response.status_code": request.status}
        )
        self._requests.record(request.duration, about)
        self._waits.record(request.waited)
        if request.method != "GET":
            self._writes.add(1, {"outcome": _ended(request)})
        span = self._tracer.start_span(
            f"{request.method} {route}",
            kind=SpanKind.CLIENT,
            start_time=now - round(request.duration * _NANO),
            attributes={**about, "url.path": request.path, "attempt": request.attempt, "waited": request.waited},
        )
        if request.status is None or request.status >= _FAILED:
            span.set_status(Status(StatusCode.ERROR))
        span.end(now)

    def called(self, tool: str, seconds: float, result: ToolResult | None) -> None:
        """Note a call of a tool: what it came to, and in its span the code of a refusal."""
        from opentelemetry.trace import Status, StatusCode, get_current_span  # noqa: PLC0415 - as above

        code = None if result is None else (result.meta or {}).get("katana-mcp/error")
        outcome = "failed" if result is None else "refused" if code else "answered"
        self._calls.record(seconds, {"tool": tool, "outcome": outcome, **({"code": code} if code else {})})
        if code:
            span = get_current_span()
            span.set_attribute("error.type", code)
            span.set_status(Status(StatusCode.ERROR))
        content: dict[str, Any] = (None if result is None else result.structured_content) or {}
        # An answer of another server may have these names, and anything in them.
        stale: object = content.get("stale", {"age_seconds": 0})
        age = cast("dict[str, object]", stale).get("age_seconds") if isinstance(stale, dict) else None
        if content.get("as_of") and isinstance(age, int | float):
            self._ages.record(age, {"tool": tool})


_FAILED, _UNCERTAIN = 400, 500


def _ended(request: RequestRecord) -> str:
    """Return how a write ended as far as its own answer tells; a look-up may learn more of what is unknown."""
    if request.outcome == "not_sent" or _FAILED <= (request.status or 0) < _UNCERTAIN:
        return "failed"
    return "applied" if request.outcome == "answered" and request.status and request.status < _FAILED else "unknown"


class Measuring(Middleware):
    """Notes each call of a tool."""

    def __init__(self, instruments: Instruments) -> None:
        self._instruments = instruments

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool, and note how it ended."""
        began, result = time.perf_counter(), None
        try:
            result = await call_next(context)
            return result
        finally:
            self._instruments.called(context.message.name, time.perf_counter() - began, result)


class MetricsPage:
    """Shows Prometheus what was measured; it stands behind the doors, so who asks has the token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for the page, and pass on everything else."""
        if scope["type"] == "http" and scope["path"] == PAGE and Request(scope).method == "GET":
            from prometheus_client import CONTENT_TYPE_LATEST, generate_latest  # noqa: PLC0415 - an optional part

            await Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def both(
    first: Callable[[RequestRecord], None], second: Callable[[RequestRecord], None]
) -> Callable[[RequestRecord], None]:
    """Return what tells both of a request."""

    def tell(request: RequestRecord) -> None:
        first(request)
        second(request)

    return tell
