"""`katana-mcp install`: what a host has to be told so that it starts the server, and where it keeps that."""
