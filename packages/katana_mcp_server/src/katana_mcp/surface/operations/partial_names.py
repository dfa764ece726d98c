"""A part of a name in a filter stands for the one live record that has it, and the answer says so.

Refuses what several have, with the candidates. Writes take exact names only: they never come here.
"""

from collections.abc import Sequence

from cache_core.protocol import Search, Stored
from cache_core.search_rules import normalised, parse
from katana_mcp.references.display_names import text, titled
from katana_mcp.references.resolve import all_listed, resolved
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.filters import Refers, references_of, texts_of
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking, info
from katana_mcp.values import id_in

_MOST = 200
"""Records that have the words somewhere, up to which it is known that no other has them in its name."""
_SHOWN = 5


async def completed[R: Request](
    request: R, services: Services, listed: str | None = None
) -> tuple[R, list[ToolWarning]]:
    """Return the request with what parts of names in its filters stand for, and what they were taken for.

    Args:
        request: the arguments.
        services: the tenant's services.
        listed: the cache entity whose own names are filtered by, where there is one alone.

    Raises:
        Refused: several records have the part in their names.
    """
    specs = services.syncer.specs
    parts = [
        (name, refers, value)
        for name, refers, value in (*references_of(request), *_own_names(request, listed))
        if isinstance(value, str) and specs[refers.entity].key_path == "name" and id_in(value) is None
    ]
    if not parts:
        return request, []
    exact = await resolved(services, [(refers.entity, value) for _, refers, value in parts])
    meant, notices = dict[str, object](), list[ToolWarning]()
    for name, refers, value in parts:
        row = None if exact[refers.entity, value] else await _only_one(name, refers, value, services)
        if row is not None:
            services.lookups.understood([(refers.entity, value)])
            meant[name] = text(row.record, "name") if refers.path == "name" else row.id
            message = f"{name}: {value!r} was read as {refers.called} {_named(row)}, the only one with this in its name"
            notices.append(info(warning_codes.PARTIAL_NAME, message, name))
    return request.model_copy(update=meant), notices


def _own_names(request: Request, listed: str | None) -> list[tuple[str, Refers, object]]:
    """Return the filters by the name of what is listed itself, as if they named one of it."""
    if listed is None:
        return []
    names = [(name, value) for name, (path, value) in texts_of(request).items() if path == "name"]
    return [(name, Refers(listed, "name", titled(listed)), value) for name, value in names]


async def _only_one(name: str, refers: Refers, value: str, services: Services) -> Stored | None:
    """Return the live record in whose name the words begin words; None where none is, or not all are known."""
    tokens = parse(value).tokens
    if not tokens or not await all_listed(services, refers.entity):
        return None
    result = await services.cache.search(refers.entity, Search(value, limit=_MOST))
    found = [hit.row for hit in result.hits if _has(hit.row, tokens)]
    if len(found) > 1:
        raise Refused(blocking(warning_codes.AMBIGUOUS_NAME, _several(name, refers, value, found), name))
    return found[0] if found and result.total <= _MOST else None


def _has(row: Stored, tokens: Sequence[str]) -> bool:
    words = f" {normalised(text(row.record, 'name') or '')}"
    return all(f" {token}" in words for token in tokens)


def _several(name: str, refers: Refers, value: str, found: Sequence[Stored]) -> str:
    choices = ", ".join(map(_named, found[:_SHOWN])) + (" and more" if len(found) > _SHOWN else "")
    return f"{name}: {len(found)} {refers.called}s have {value!r} in their names; name one whole or by id: {choices}"


def _named(row: Stored) -> str:
    return f"{row.id} ({text(row.record, 'name')})"
