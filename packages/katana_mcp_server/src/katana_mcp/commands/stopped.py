"""What is known of a call that Ctrl-C or SIGTERM stopped: whether it changed something in Katana, and how to look."""

from collections.abc import Sequence
from datetime import datetime

from cache_core.clock import SystemClock
from katana_mcp.configuration.settings import Settings
from katana_mcp.journal.entries import Entry
from katana_mcp.journal.errors import JournalError
from katana_mcp.journal.file import JournalFile, journal_path
from katana_mcp.journal.rows import claimed_since
from katana_mcp.server.account import account
from katana_mcp.server.wiring import cache_directory
from katana_mcp.surface.descriptor import APPLY
from katana_mcp.writing.applying import OWNER

UNCHANGED = "nothing was changed in Katana"
_IN_DOUBT = "a change may have been sent"


def known(settings: Settings, tool: str, since: datetime) -> str:
    """Return what is known of a call of this process that began then; only `apply_plan` changes something in Katana."""
    if tool != APPLY:
        return UNCHANGED
    try:
        begun = _begun(settings, since)
    except JournalError as error:
        return f"{_IN_DOUBT}: {error}"
    if not begun:
        return UNCHANGED
    show = f"katana-mcp journal show {begun[0].id}" if len(begun) == 1 else "katana-mcp journal list"
    if all(action.state == "applied" for entry in begun for action in entry.actions):
        return f"{'the plan was' if len(begun) == 1 else 'the plans were'} applied: {show} tells what was sent"
    return f"{_IN_DOUBT}: {show} tells how far it came, katana-mcp journal reconcile looks in Katana"


def _begun(settings: Settings, since: datetime) -> Sequence[Entry]:
    """Return the plans of which this process has sent something, or may have."""
    directory = cache_directory(*account(settings))
    path = None if directory is None else journal_path(directory)
    if path is None or not path.exists():
        return ()
    file = JournalFile(path, SystemClock())
    try:
        with file.reading() as db:
            claimed = claimed_since(db, OWNER, since)
    finally:
        file.close()
    return [entry for entry in claimed if entry.is_begun]
