"""The journal of writes as resources: the newest plans and what became of them, and one of them whole."""

from collections.abc import Awaitable

from cache_core.records import decode, encode, iso
from katana_mcp.journal.entries import Entry
from katana_mcp.journal.errors import JournalError
from katana_mcp.journal.telling import counts, entry_payload
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, plain
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import id_in

URI, TEMPLATE = "katana://journal", "katana://journal/{entry}"
_NEWEST = 50


class JournalLine(Answer):
    """A plan in short; `actions` counts how many of its requests are how far."""

    entry: int
    planned_at: str
    principal: str
    tool: str
    summary: str
    state: str
    refused: str | None = None
    """Why it was not applied when that was tried last."""
    actions: dict[str, int]


class JournalPage(Envelope):
    """The newest plans of the account, of all its callers."""

    rows: list[JournalLine]


class JournalEntry(Envelope):
    """Everything that is known of one plan but its token, which nobody keeps."""

    entry: dict[str, object]


async def newest(services: Services) -> JournalPage:
    """Return the newest plans of the account.

    Raises:
        Refused: the journal cannot be used.
    """
    now = services.clock.now()
    found = await _or_error(services.journal.entries(_NEWEST, tenant=services.tenant))
    rows = [_line(entry, services) for entry in found]
    return JournalPage(as_of=iso(now), source="sandbox" if services.sandbox else None, rows=rows)


async def one_entry(number: str, services: Services) -> JournalEntry:
    """Return one plan of the account, whole.

    Raises:
        Refused: there is none, or the journal cannot be used.
    """
    entry_id, now = id_in(number), services.clock.now()
    found = None if entry_id is None else await _or_error(services.journal.entry(entry_id))
    if found is None or found.plan.tenant != services.tenant:
        message = f"the journal has no entry {number[:40]!r}; {URI} names the newest"
        raise Refused(blocking(warning_codes.NOT_FOUND, message, "entry"))
    entry = plain(decode(encode(entry_payload(found, now)).decode()))
    source = "sandbox" if services.sandbox else None
    return JournalEntry.model_validate({"as_of": iso(now), "source": source, "entry": entry})


def _line(entry: Entry, services: Services) -> JournalLine:
    plan = entry.plan
    return JournalLine(
        entry=entry.id,
        planned_at=iso(plan.created_at),
        principal=plan.principal,
        tool=plan.tool,
        summary=plan.summary,
        state=entry.stands(services.clock.now()),
        refused=entry.refused,
        actions={**counts(entry)},
    )


async def _or_error[T](asking: Awaitable[T]) -> T:
    try:
        return await asking
    except JournalError as error:
        raise Refused(blocking(warning_codes.JOURNAL_UNAVAILABLE, str(error))) from error
