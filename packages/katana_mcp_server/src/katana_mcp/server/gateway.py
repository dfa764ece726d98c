"""From settings to an operator's catalogue: its files, our own tools as it shows them, and the servers beside them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from cache_core.clock import Clock, SystemClock
from katana_mcp.configuration.env_file import refuse_if_shared
from katana_mcp.configuration.settings import CatalogChoice, Settings, SettingsError
from katana_mcp.gateway.files import CatalogFiles, read_catalog
from katana_mcp.gateway.intended import Entry
from katana_mcp.gateway.live import LiveCatalog, Stage
from katana_mcp.gateway.model import OWN, CatalogError
from katana_mcp.server.catalogue import presented, unlisted
from katana_mcp.server.mcp.beside import Beside
from katana_mcp.server.mcp.catalogue import catalogue, finder_listing
from katana_mcp.server.mcp.gateway import CatalogProvider
from katana_mcp.server.mcp.list_changes import ListChanges
from katana_mcp.server.mcp.upstreams import Upstreams
from katana_mcp.surface.descriptor import ListedTool


@dataclass(frozen=True, slots=True)
class OwnTools:
    """Our own tools as they are served.

    Attributes:
        tools: the tools.
        unlisted: those of them that are not listed.
        renamed: what the operator calls them, by their names.
    """

    tools: tuple[ListedTool, ...]
    unlisted: Collection[str]
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])


def files_of(choice: CatalogChoice) -> CatalogFiles:
    """Return where the files of the catalogue stand.

    Raises:
        SettingsError: no catalogue is named, or others may write it.
    """
    if choice.catalog_file is None:
        raise SettingsError("KATANA_MCP_CATALOG_FILE (--catalog-file) is not set: name the catalogue, catalog.toml")
    files = CatalogFiles(choice.catalog_file, choice.cache_root() / "catalog")
    for path in (files.written, files.overlay, files.lock):
        if path.exists():
            refuse_if_shared(path, "say which programs are started as you, and what your model reads")
    return files


def own_tools_of(specs: Sequence[ListedTool], choice: CatalogChoice) -> OwnTools:
    """Return our own tools as the catalogue shows them.

    Raises:
        SettingsError: the catalogue cannot be read, or names a tool that is not there.
    """
    try:
        overrides = read_catalog(files_of(choice)).tools.get(OWN, {})
    except CatalogError as error:
        raise _wrong(error) from None
    shown, renamed = presented(specs, overrides)
    return OwnTools(shown, frozenset(renamed.get(name, name) for name in unlisted(specs, choice)), renamed)


def live_catalog(
    choice: CatalogChoice, specs: Sequence[ListedTool], stage: Stage, clock: Clock | None = None
) -> tuple[LiveCatalog, OwnTools]:
    """Return the catalogue, rendered, and our own tools as it shows them.

    Raises:
        SettingsError: it cannot be served as it is written.
    """
    own = own_tools_of(specs, choice)
    files = files_of(choice)
    try:
        entries = own_entries(own, findable=read_catalog(files).has_unlisted)
        return LiveCatalog(files, entries, clock or SystemClock(), stage), own
    except CatalogError as error:
        raise _wrong(error) from None


def own_entries(own: OwnTools, *, findable: bool) -> list[Entry]:
    """Return our tools as the intended catalogue has them; with some unlisted, the two that find and call those too."""
    before = {new: old for old, new in own.renamed.items()}
    tools = [*catalogue(own.tools), *(finder_listing() if own.unlisted or findable else ())]
    named = [(tool["name"], tool) for tool in tools]
    return [Entry(f"{OWN}.{before.get(name, name)}", tool, name not in own.unlisted) for name, tool in named]


def catalogued(
    settings: Settings, specs: Sequence[ListedTool], clock: Clock | None
) -> tuple[tuple[ListedTool, ...], Collection[str], Beside]:
    """Return our own tools as this phase serves them, those of them that are not listed, and what is served beside.

    Raises:
        SettingsError: the catalogue cannot be served as it is written.
    """
    live, shown = live_catalog(settings, specs, Stage(settings.catalog, read_only=settings.read_only), clock)
    _, others = beside(live, shown, clock, must_confirm=settings.confirm == "required")
    own = shown if live.serves else OwnTools(tuple(specs), unlisted(specs, settings))
    return own.tools, own.unlisted, others


def beside(
    live: LiveCatalog, own: OwnTools, clock: Clock | None = None, *, must_confirm: bool = False
) -> tuple[Upstreams, Beside]:
    """Return the other servers, and what is served of them.

    Raises:
        SettingsError: a variable is not set that another server is given.
    """
    try:
        upstreams = Upstreams(live, clock or SystemClock())
    except CatalogError as error:
        raise _wrong(error) from None
    provider = CatalogProvider(upstreams, clock or SystemClock(), must_confirm=must_confirm)
    if not live.serves:
        return upstreams, Beside(provider)
    return upstreams, Beside(provider, (ListChanges(provider),), own.renamed, live.catalog.has_unlisted)


def _wrong(error: CatalogError) -> SettingsError:
    return SettingsError(f"KATANA_MCP_CATALOG_FILE (--catalog-file): {error}")
