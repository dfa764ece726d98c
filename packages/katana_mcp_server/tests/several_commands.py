"""Runs commands of the command line one after the other, each as a process of its own would, but for the imports."""

import sys

from katana_mcp.commands import cli


def ended(command: str) -> object:
    """Return how a command ended."""
    sys.argv = ["katana-mcp", *command.split(), "--json"]
    try:
        cli.main()
    except SystemExit as end:
        return end.code
    return None


if __name__ == "__main__":
    codes = [ended(command) for command in sys.argv[1:]]
    sys.exit(0 if codes == [0] * len(codes) else str(codes))
