"""An MCP server through which an assistant runs a factory on Katana."""

__version__: str


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: the 50 ms are not spent before Ctrl-C is taken care of."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415 - takes 50 ms, see above

    return version("katana-mcp-server")
