"""The floor of a tool call and of a start: a FastMCP server with one tool that does nothing."""

from typing import Any

from fastmcp import FastMCP


def server() -> FastMCP[Any]:
    """Return the server."""
    mcp: FastMCP[Any] = FastMCP("noop")

    @mcp.tool
    def nothing(text: str) -> dict[str, str]:
        """Give the text back."""
        return {"text": text}

    return mcp


if __name__ == "__main__":
    server().run(show_banner=False)
