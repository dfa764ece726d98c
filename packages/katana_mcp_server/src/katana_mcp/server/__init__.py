"""What is started: from settings to a server that speaks MCP; what its tools do is not known here."""
