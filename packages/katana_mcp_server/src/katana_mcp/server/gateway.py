"""From settings to an operator's catalogue: its files, our own tools as it shows them, and the servers beside them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from cache_core.clock import Clock, SystemClock
from katana_mcp.configuration.settings import CatalogChoice, SettingsError
from katana_mcp.gateway.files import CatalogFiles, read_catalog
from katana_mcp.gateway.live import LiveCatalog, Stage
from katana_mcp.gateway.model import OWN, CatalogError
from katana_mcp.server.catalogue import presented, unlisted
from katana_mcp.server.mcp.catalogue import own_entries
from katana_mcp.server.mcp.gateway import CatalogProvider
from katana_mcp.server.mcp.server import Beside
from katana_mcp.server.mcp.upstreams import Upstreams
from katana_mcp.surface.descriptor import AnyTool


@dataclass(frozen=True, slots=True)
class Surface:
    """Our own tools as they are served.

    Attributes:
        tools: the tools.
        unlisted: those of them that are not listed.
        renamed: what the operator calls them, by their names.
    """

    tools: tuple[AnyTool, ...]
    unlisted: Collection[str]
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])


def files_of(choice: CatalogChoice) -> CatalogFiles:
    """Return where the files of the catalogue stand.

    Raises:
        SettingsError: no catalogue is named.
    """
    if choice.catalog_file is None:
        raise SettingsError("KATANA_MCP_CATALOG_FILE (--catalog-file) is not set: name the catalogue, catalog.toml")
    return CatalogFiles(choice.catalog_file, choice.cache_root() / "catalog")


def surface_of(specs: Sequence[AnyTool], choice: CatalogChoice) -> Surface:
    """Return our own tools as the catalogue shows them.

    Raises:
        SettingsError: the catalogue cannot be read, or names a tool that is not there.
    """
    try:
        overrides = read_catalog(files_of(choice)).tools.get(OWN, {})
    except CatalogError as error:
        raise _wrong(error) from None
    shown, renamed = presented(specs, overrides)
    return Surface(shown, frozenset(renamed.get(name, name) for name in unlisted(specs, choice)), renamed)


def live_catalog(
    choice: CatalogChoice, specs: Sequence[AnyTool], stage: Stage, clock: Clock | None = None
) -> tuple[LiveCatalog, Surface]:
    """Return the catalogue, rendered, and our own tools as it shows them.

    Raises:
        SettingsError: it cannot be served as it is written.
    """
    surface = surface_of(specs, choice)
    files = files_of(choice)
    try:
        findable = read_catalog(files).has_unlisted
        own = own_entries(surface.tools, surface.unlisted, surface.renamed, findable=findable)
        return LiveCatalog(files, own, clock or SystemClock(), stage), surface
    except CatalogError as error:
        raise _wrong(error) from None


def beside(live: LiveCatalog, surface: Surface, clock: Clock | None = None, *, must_confirm: bool = False) -> Beside:
    """Return what is served beside our own tools.

    Raises:
        SettingsError: a variable is not set that another server is given.
    """
    try:
        upstreams = Upstreams(live, clock or SystemClock())
    except CatalogError as error:
        raise _wrong(error) from None
    provider = CatalogProvider(upstreams, clock or SystemClock(), must_confirm=must_confirm)
    return Beside(provider, surface.renamed, live.catalog.has_unlisted) if live.serves else Beside(provider)


def _wrong(error: CatalogError) -> SettingsError:
    return SettingsError(f"KATANA_MCP_CATALOG_FILE (--catalog-file): {error}")
