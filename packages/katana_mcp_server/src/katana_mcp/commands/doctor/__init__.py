"""`katana-mcp doctor`: what the server needs, looked at one by one, and the shapes of an account's records."""
