"""Which tools are served: what is chosen without a key, and read by commands that need none."""

from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import BeforeValidator, Field
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def _names(value: object) -> object:
    """Split `sales, items` into names."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def directory(value: object) -> object:
    """Take a blank directory for none, and expand `~`."""
    if isinstance(value, str):
        return Path(value.strip()).expanduser() if value.strip() else None
    return value


type Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)]
type Directory = Annotated[Path | None, BeforeValidator(directory)]


class Choice(BaseSettings):
    """Which tools are served, and which file says more."""

    model_config = SettingsConfigDict(
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        use_attribute_docstrings=True,
    )

    env_file: Annotated[Directory, Field(validation_alias="KATANA_MCP_ENV_FILE")] = None
    """A file of settings to read instead of `.env` in the working directory. Only a flag, or from the environment."""
    toolsets: Annotated[Names, Field(validation_alias="KATANA_MCP_TOOLSETS")] = ()
    """Serve only these groups, separated by commas: items, sales, purchasing, manufacturing, inventory, admin,
    a group with previews of writes brings `apply_plan` along. writing: every tool that plans writes; read: every tool
    that only reads; all: every tool. What is chosen is listed. By default all but `rebuild_cache` are served: those of
    every day are listed, `search_tools` finds the others."""
    tools: Annotated[Names, Field(validation_alias="KATANA_MCP_TOOLS")] = ()
    """Serve only these tools, separated by commas; with toolsets, both."""
    exclude_tools: Annotated[Names, Field(validation_alias="KATANA_MCP_EXCLUDE_TOOLS")] = ()
    """Never serve these tools, separated by commas; wins over everything."""
    read_only: Annotated[bool, Field(validation_alias="KATANA_MCP_READ_ONLY")] = False
    """Serve only tools that change nothing, in Katana or in the cache."""
    search_mode: Annotated[bool, Field(validation_alias="KATANA_MCP_SEARCH_MODE")] = False
    """List five tools, those that write, and two that find and call the others: 1,200 tokens of the model's context."""


class CatalogChoice(Choice):
    """Which tools are served, what an operator's catalogue changes of them, and where its state is kept."""

    catalog: Annotated[
        Literal["off", "report", "enforce"],
        BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value),
        Field(validation_alias="KATANA_MCP_CATALOG"),
    ] = "off"
    """off, the default: the catalogue is not read. report: what it would serve, and how other servers drift from it, is
    written and logged; what is served stays as it is. enforce: it is served."""
    catalog_file: Annotated[Directory, Field(validation_alias="KATANA_MCP_CATALOG_FILE")] = None
    """The catalogue: catalog.toml. Never from a `.env` that was not named, because it names programs to start."""
    cache_dir: Annotated[Directory, Field(validation_alias="KATANA_CACHE_DIR")] = None
    """Where caches are kept; the user's cache directory by default."""

    def cache_root(self) -> Path:
        """Return the directory under which each tenant's cache has its own."""
        return self.cache_dir or Path(platformdirs.user_cache_dir("katana-mcp"))
