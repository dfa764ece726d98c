"""`python -m katana_mcp`: the same as `katana-mcp`."""

from katana_mcp.cli import main

main()
