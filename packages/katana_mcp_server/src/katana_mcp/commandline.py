"""Settings as flags of a command: one optional flag per field, secrets left out."""

from collections.abc import Iterable
from typing import Annotated, Any

from cyclopts import Parameter
from pydantic import BaseModel, Field, create_model

from katana_mcp.settings import SECRETS, Settings, load, variable


def flags_of(fields: Iterable[str]) -> type[BaseModel]:
    """Return a model with a flag per field of the settings; the field's own type is checked by the settings."""
    flags: dict[str, Any] = {}
    for name in fields:
        if name in SECRETS:
            continue
        field = Settings.model_fields[name]
        kind: object = bool if field.annotation is bool else str
        told = f"{field.description} [{variable(name)}]"
        flags[name] = (Annotated[kind | None, Parameter(negative="")], Field(default=None, description=told))
    return create_model("Flags", **flags)


def settings_of(flags: BaseModel | None) -> Settings:
    """Return the settings from these flags, the environment and `.env`.

    Raises:
        SettingsError: a setting that cannot work.
    """
    return load(**given(flags))


def given(flags: BaseModel | None) -> dict[str, object]:
    """Return the flags that were given."""
    return {} if flags is None else flags.model_dump(exclude_none=True)
