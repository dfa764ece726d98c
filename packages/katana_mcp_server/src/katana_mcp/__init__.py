"""An MCP server through which an assistant runs a factory on Katana."""

from importlib.metadata import version

__version__ = version("katana-mcp-server")
