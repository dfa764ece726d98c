"""`reconcile`: what nobody saw the end of is looked up in Katana again, and what was found is noted."""

from collections.abc import Sequence

from katana_mcp.caches.cache_files import NotDone
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet, id_cell
from katana_mcp.journal.errors import JournalError
from katana_mcp.journal.file import journal_path
from katana_mcp.server.wiring import connected
from katana_mcp.tools.warnings import Refused
from katana_mcp.writing.outcome import ActionOutcome
from katana_mcp.writing.reconciling import Reconciled, reconciled


async def reconcile(job: Job) -> Report:
    """Look up every plan whose end is not known; fine when each is known by now."""
    path = journal_path(job.directory)
    if not path.exists(follow_symlinks=False):
        return Report({"entries": []}, notes=(f"nothing was planned yet with this key: there is no journal {path}",))
    tenant = connected(job.settings, job.outside)
    try:
        found = await reconciled(await tenant.services())
    except (JournalError, Refused) as error:
        raise NotDone(str(error)) from error
    finally:
        await tenant.close()
    head = ("entry", "action", "what", "now", "id", "looked up")
    lines = [line for result in found for line in _lines(result)]
    return Report(
        {"entries": [_data(result) for result in found]},
        sheets=(Sheet(head, lines),) if lines else (),
        notes=tuple(_notes(found)),
        fine=all(result.is_sure for result in found),
    )


def _data(result: Reconciled) -> dict[str, object]:
    outcome = None if result.outcome is None else result.outcome.model_dump(mode="json", exclude_none=True)
    return {
        "id": result.entry.id,
        "tool": result.entry.plan.tool,
        "summary": result.entry.plan.summary,
        "was": result.was,
        "is_sure": result.is_sure,
        "outcome": outcome,
    }


def _lines(result: Reconciled) -> list[Line]:
    if result.outcome is None:
        return [Line((id_cell(result.entry.id), None, result.entry.plan.summary, result.was, None, None))]
    return [
        Line(
            _cells(result, place, action),
            {"applied": True, "unknown": False}.get(action.state),
        )
        for place, action in enumerate(result.outcome.actions, 1)
    ]


def _cells(result: Reconciled, place: int, action: ActionOutcome) -> tuple[object, ...]:
    state = action.state.replace("_", " ")
    return (id_cell(result.entry.id), place, action.title, state, id_cell(action.id), _last_asked(action))


def _last_asked(action: ActionOutcome) -> str | None:
    look = action.look_up or {}
    text = look.get("error") or (f"rows: {look['rows']}, as planned: {look['as_planned']}" if "rows" in look else None)
    return None if text is None else str(text)


def _notes(found: Sequence[Reconciled]) -> list[str]:
    if not found:
        return ["the end of every plan is known"]
    unsure = [str(result.entry.id) for result in found if not result.is_sure]
    if not unsure:
        return ["the end of every plan is known by now"]
    rest = f"not known yet: entry {', '.join(unsure)}"
    return [f"{rest}; a listing of Katana can lag: try again later, or look at the document in Katana"]
