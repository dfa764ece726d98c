"""The catalogue against the servers themselves: verified, and adopted from them."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from katana_mcp.commands.cache.job import Report
from katana_mcp.commands.cache.screen import confirmed, is_interactive, print_report
from katana_mcp.commands.catalog.looking import compared
from katana_mcp.configuration.settings import CatalogChoice, SettingsError
from katana_mcp.gateway.drift import Change, Observation, new_tools, ordered, tool_changes
from katana_mcp.gateway.files import read_catalog, read_pins, write_pins
from katana_mcp.gateway.live import Stage
from katana_mcp.gateway.model import Catalog, CatalogError
from katana_mcp.gateway.schemas import Json, captured
from katana_mcp.server.catalogue import served
from katana_mcp.server.gateway import beside, files_of, live_catalog
from katana_mcp.server.mcp.catalogue import finder_listing, listing
from katana_mcp.server.mcp.upstreams import listed_at, listings


async def verify(choice: CatalogChoice) -> Report:
    """Start every server, and compare what a host would be told with what is meant."""
    catalog, own = live_catalog(choice, served(choice), Stage(writes=False, read_only=choice.read_only))
    upstreams, others = beside(catalog, own)
    try:
        for _ in range(2):
            await upstreams.check()
        by_name = {tool["name"]: tool for tool in await listing(own.tools, own.unlisted, others)}
    finally:
        await upstreams.stop()
    meant = {name: entry.descriptor for name, entry in catalog.entries.items() if entry.listed}
    differing = sorted(name for name in {*meant, *by_name} if meant.get(name) != by_name.get(name))
    return compared(catalog.drift(), catalog.stuck(), [f"{name}: not listed as it is meant" for name in differing])


async def diff(choice: CatalogChoice, url: str) -> Report:
    """Ask a running server of ours what it lists, and compare that with what is meant to be listed.

    Raises:
        SettingsError: it does not answer.
    """
    catalog, _ = live_catalog(choice, served(choice), Stage(writes=False, read_only=choice.read_only))
    token = os.environ.get("KATANA_MCP_HTTP_TOKEN", "")
    try:
        now = Observation("up", tools=await listed_at(url, token))
    except CatalogError as error:
        raise SettingsError(f"--url: {error}; its token is read from KATANA_MCP_HTTP_TOKEN") from None
    finders = [tool["name"] for tool in finder_listing()]
    meant = {f"served.{name}": captured(entry.descriptor) for name, entry in catalog.entries.items() if entry.listed}
    changes = [change for target, descriptor in meant.items() for change in tool_changes(target, descriptor, now)]
    names = [*meant, *(f"served.{name}" for name in finders)]
    return compared(ordered([*changes, *new_tools("served", names, now)]), ())


async def adopt(choice: CatalogChoice, targets: Sequence[str], *, additive: bool, yes: bool) -> Report:
    """Adopt what the servers say now, after a look at it."""
    files = files_of(choice)
    try:
        catalog, pins = read_catalog(files), read_pins(files)
        now = await listings(catalog, files.folder, _servers(catalog, targets))
    except CatalogError as error:
        raise SettingsError(str(error)) from None
    changes = [change for change in _changes(pins, now) if _is_meant(change.target, targets)]
    if additive:
        excluded = {change.target for change in changes if change.kind != "additive"}
        changes = [change for change in changes if change.target not in excluded]
    names = {change.target for change in changes} | set(pins)
    unknown = [target for target in targets if "." in target and target not in names]
    if unknown:
        raise SettingsError(f"no tool is called {', '.join(unknown)}")
    if not changes:
        return Report({"adopted": []}, notes=("nothing to adopt",))
    shown = compared(changes, ())
    if not yes and is_interactive():
        print_report(shown, as_json=False)
        yes = await confirmed("Adopt this?")
        shown = Report(shown.data)
    if not yes:
        return replace(shown, notes=("nothing was adopted; --yes adopts without asking",), fine=False)
    chosen = {change.target for change in changes}
    at = datetime.now(UTC).isoformat(timespec="seconds")
    kept = {**pins, **{target: _now(target, now) for target in chosen}}
    there = {target: descriptor for target, descriptor in sorted(kept.items()) if descriptor is not None}
    write_pins(files, there, dict.fromkeys(chosen, at))
    return Report({"adopted": sorted(chosen)}, notes=(f"adopted: {', '.join(sorted(chosen))}", str(files.lock)))


def _now(target: str, now: Mapping[str, Mapping[str, Json]]) -> Json | None:
    server, _, tool = target.partition(".")
    return now.get(server, {}).get(tool)


def _servers(catalog: Catalog, targets: Collection[str]) -> list[str]:
    named = {target.partition(".")[0] for target in targets} or set(catalog.upstreams)
    unknown = sorted(named - set(catalog.upstreams))
    if unknown:
        raise CatalogError(f"no upstream is called {', '.join(unknown)}; there are {', '.join(catalog.upstreams)}")
    return sorted(named)


def _is_meant(target: str, targets: Collection[str]) -> bool:
    return not targets or target in targets or target.partition(".")[0] in targets


def _changes(pins: Mapping[str, Json], now: Mapping[str, Mapping[str, Json]]) -> list[Change]:
    changes: list[Change] = []
    for server, tools in now.items():
        seen = Observation("up", tools=tools)
        of_it = [target for target in pins if target.partition(".")[0] == server]
        changes += [change for target in of_it for change in tool_changes(target, pins[target], seen)]
        changes += new_tools(server, pins, seen)
    return ordered(changes)
