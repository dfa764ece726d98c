"""Logging to stderr: what was done, how long it took and how it ended; never keys, arguments or records."""

import logging
import sys

import structlog


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
            structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    # Libraries log requests, arguments and tracebacks; what is needed of that is logged here, without personal data.
    for name in ("fastmcp", "mcp", "httpx", "httpcore", "httpx2", "uvicorn", "uvicorn.access", "aiosqlite"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
