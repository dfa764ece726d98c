"""The tool catalogue: what an operator means to be served, and what other servers really offer. Knows no FastMCP."""
