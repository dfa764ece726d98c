"""The catalogue without asking anybody: rendered, listed, compared with what a server last saw."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from katana_mcp.commands.cache.job import Line, Report, Sheet
from katana_mcp.configuration.settings import CatalogChoice, SettingsError
from katana_mcp.gateway.drift import Change
from katana_mcp.gateway.files import read_json, snapshots
from katana_mcp.gateway.intended import Entry
from katana_mcp.gateway.live import LiveCatalog, Stage
from katana_mcp.server.catalogue import served
from katana_mcp.server.gateway import files_of, live_catalog
from katana_mcp.tools.answers import so_many

_NOT_YET = "no server has looked yet: start one with KATANA_MCP_CATALOG=report, or run katana-mcp catalog verify"
_LONGEST = 200


def catalog_of(choice: CatalogChoice, *, writes: bool = False) -> LiveCatalog:
    """Return the rendered catalogue.

    Raises:
        SettingsError: it cannot be served as it is written.
    """
    return live_catalog(choice, served(choice), Stage(writes=writes, read_only=choice.read_only))[0]


async def render(choice: CatalogChoice) -> Report:
    """Render the intended catalogue into its file."""
    catalog = catalog_of(choice, writes=True)
    meant = so_many(len(catalog.entries), "tool")
    return Report(catalog.intended(), notes=(f"{meant} meant: {catalog.files.intended}",))


async def list_tools(choice: CatalogChoice, *, live: bool) -> Report:
    """List what is meant, or what was served."""
    catalog = catalog_of(choice)
    if not live:
        return listed(catalog, {})
    seen = read_json(catalog.files.live)
    if seen is None:
        return Report({}, notes=(_NOT_YET,), fine=False)
    catalog.recall(seen)
    withheld = {name: why_of(catalog, entry) for name, entry in catalog.entries.items() if not catalog.is_served(entry)}
    return listed(catalog, withheld)


def why_of(catalog: LiveCatalog, entry: Entry) -> str:
    """Return why a tool is not served."""
    changes = [change for target in entry.targets if (change := catalog.withheld(target)) is not None]
    return "; ".join(change.reason or f"{change.part} changed ({change.kind})" for change in changes)


def listed(catalog: LiveCatalog, withheld: Mapping[str, str]) -> Report:
    """Return the tools as a table, and what each server's cost the model."""
    entries = catalog.entries.values()
    costs: dict[str, int] = {}
    for entry in entries:
        if entry.listed and entry.name not in withheld:
            server = entry.origin.partition(".")[0]
            costs[server] = costs.get(server, 0) + entry.tokens
    data = [
        {
            "name": entry.name,
            "origin": entry.origin,
            "listed": entry.listed,
            "tokens": entry.tokens,
            "withheld": withheld.get(entry.name),
        }
        for entry in entries
    ]
    lines = [
        Line((row["name"], row["origin"], "yes" if row["listed"] else "found", row["tokens"], row["withheld"]))
        for row in data
    ]
    notes = [_cost(catalog, server, tokens) for server, tokens in sorted(costs.items())]
    sheet = Sheet(("tool", "origin", "listed", "tokens", "not served, because"), lines)
    return Report({"tools": data, "tokens": costs}, (sheet,), tuple(notes))


def _cost(catalog: LiveCatalog, server: str, tokens: int) -> str:
    upstream = catalog.catalog.upstreams.get(server)
    message = f"{server}: {tokens:,} tokens listed"
    if upstream is None or upstream.budget is None:
        return message
    over = "" if tokens <= upstream.budget else "; what may change something stays listed"
    return f"{message}, of a budget of {upstream.budget:,}{over}"


async def diff(choice: CatalogChoice, live: Path | None) -> Report:
    """Compare what is meant with what a server last saw."""
    catalog = catalog_of(choice)
    seen = read_json(live or catalog.files.live)
    if seen is None and live is not None:
        raise SettingsError(f"--live: {live} is no live catalogue")
    if seen is None:
        return Report({}, notes=(_NOT_YET,), fine=False)
    catalog.recall(seen)
    return compared(catalog.drift(), catalog.stuck())


def compared(changes: Sequence[Change], stuck: Sequence[str], others: Sequence[str] = ()) -> Report:
    """Return differences as a table, what breaks first."""
    lines = [
        Line(
            (change.kind, change.target, change.part, change.reason, _shown(change.old), _shown(change.new)), good=False
        )
        for change in changes
    ]
    notes = [f"{target}: answers do not fit its new output schema, the one before is served" for target in stuck]
    notes += others
    fine = not (changes or notes)
    data: dict[str, object] = {
        "drift": [change.as_dict() for change in changes],
        "stuck": list(stuck),
        "other": list(others),
    }
    sheets = (Sheet(("kind", "tool", "part", "reason", "old", "new"), lines),) if lines else ()
    return Report(data, sheets, tuple(notes) or (("equal",) if fine else ()), fine)


def _shown(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


async def history(choice: CatalogChoice) -> Report:
    """List what was served before."""
    data: list[dict[str, object]] = []
    lines: list[Line] = []
    for path in snapshots(files_of(choice)):
        snapshot = read_json(path) or {}
        servers = {name: server.get("state") for name, server in snapshot.get("servers", {}).items()}
        count = len(snapshot.get("tools", ()))
        data.append({"file": path.name, "servers": servers, "tools": count})
        lines.append(Line((path.name, count, ", ".join(f"{name} {state}" for name, state in servers.items()))))
    return Report({"history": data}, (Sheet(("file", "tools", "servers"), lines),) if lines else ())
