"""Logging to stderr: what was done, how long it took and how it ended; never keys, arguments or records."""

import contextlib
import logging
import os
import sys
from collections.abc import Mapping
from typing import TextIO, cast

import structlog


class _Stderr:
    """stderr as long as anybody reads it; a host that closed it must not make the tools fail."""

    def write(self, text: str) -> None:
        """Write, or drop it."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)

    def flush(self) -> None:
        """Flush, or leave it."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()


def takes_color(screen: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether colours are wanted: on a terminal that has them, unless NO_COLOR says no."""
    return screen.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def configure(level: str) -> None:
    """Send structured logs to stderr: readable on a terminal, JSON lines elsewhere. stdout belongs to MCP."""
    number = logging.getLevelNamesMapping()[level]
    readable = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.ExceptionRenderer(),
            structlog.dev.ConsoleRenderer(colors=takes_color(sys.stderr, os.environ))
            if readable
            else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Stderr())),
        cache_logger_on_first_use=False,
    )
    # Libraries log requests, arguments and tracebacks; what is needed of that is logged here, without personal data.
    for name in ("fastmcp", "mcp", "httpx", "httpcore", "httpx2", "uvicorn", "uvicorn.access", "aiosqlite"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
