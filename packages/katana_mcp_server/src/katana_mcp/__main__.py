"""`katana-mcp` and `python -m katana_mcp`: Ctrl-C ends it without a word, also while modules are still imported."""

import os
import signal
from types import FrameType


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    os._exit(130)


def main() -> None:
    """Run the command line."""
    # FastMCP would take `FASTMCP_…` from the `.env` of whatever directory the server starts in.
    os.environ.setdefault("FASTMCP_ENV_FILE", os.devnull)
    usual = signal.signal(signal.SIGINT, _leave)
    # Imported here, so that Ctrl-C is taken care of during the 0.5 s that it takes.
    from katana_mcp.commands import cli  # noqa: PLC0415

    signal.signal(signal.SIGINT, usual)
    cli.main()


if __name__ == "__main__":
    main()
