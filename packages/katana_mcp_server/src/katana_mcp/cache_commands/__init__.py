"""`katana-mcp cache …`: look at, check, compare, move, rebuild or clear the cache of one account.

Only `rebuild` asks Katana. Every command says what it found and ends with 0 (fine), 1 (not) or 2 (bad input).
"""
