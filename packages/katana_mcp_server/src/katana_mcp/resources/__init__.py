"""MCP resources: reference data and help."""
