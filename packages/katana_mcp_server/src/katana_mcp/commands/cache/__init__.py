"""`katana-mcp sync`, and `katana-mcp cache …`: look at, check, compare, move, rebuild or clear one account's cache.

Only `sync` and `rebuild` ask Katana. Every command says what it found and ends with 0 (fine), 1 (not) or 2 (bad input).
"""
