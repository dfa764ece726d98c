"""MCP resources and prompts: reference data, help, and work that comes back."""
