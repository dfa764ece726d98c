"""Real MCP clients, a browser and the conformance suite before the server; run by `make clients`."""
