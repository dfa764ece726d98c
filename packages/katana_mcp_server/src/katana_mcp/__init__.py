"""An MCP server through which an assistant runs a factory on Katana."""

__version__ = "0.1.0"
