"""`katana-mcp` and `python -m katana_mcp`: Ctrl-C ends it without a word, also while modules are still imported."""

import gc
import os
import signal
import sys
import threading
from types import FrameType


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    os._exit(130)


def main() -> None:
    """Run the command line."""
    # FastMCP would take `FASTMCP_…` from the `.env` of whatever directory the server starts in.
    os.environ.setdefault("FASTMCP_ENV_FILE", os.devnull)
    usual = signal.signal(signal.SIGINT, _leave)
    gc.disable()
    # Imported here, so that Ctrl-C is taken care of during the 0.5 s that it takes.
    from katana_mcp.commands import cli  # noqa: PLC0415

    gc.freeze()  # what is imported stays: to look through it for garbage takes 0.1 s of CPU
    gc.enable()
    signal.signal(signal.SIGINT, usual)
    try:
        cli.main()
    except SystemExit as ended:
        _end(ended.code)
        raise


def _end(code: object) -> None:
    """End at once where a thread of an unfinished plan would keep the process: the same token goes on with it."""
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
