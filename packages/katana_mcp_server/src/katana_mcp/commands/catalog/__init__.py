"""`katana-mcp catalog`: what is meant to be served, what is, and how the two differ."""
