"""Settings as flags of a command, one per field, secrets left out; and what a command line lacks, in our words."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from cyclopts import (
    Argument,
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    Parameter,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)
from pydantic import BaseModel, Field, create_model

from katana_mcp.configuration.settings import SECRETS, Settings, load, variable
from katana_mcp.tools.argument_errors import wrong
from katana_mcp.tools.hints import meant

VARIABLES = (
    "An option with a [VARIABLE] can also be set by that variable, in the environment or in .env; the option wins."
)
"""What the help of each command says of them at its end."""


def flags_of(fields: Iterable[str]) -> type[BaseModel]:
    """Return a model with a flag per field of the settings; the field's own type is checked by the settings."""
    flags: dict[str, Any] = {}
    for name in fields:
        if name in SECRETS:
            continue
        field = Settings.model_fields[name]
        kind: object = bool if field.annotation is bool else str
        message = f"{field.description} [{variable(name)}]"
        flags[name] = (Annotated[kind | None, Parameter(negative="")], Field(default=None, description=message))
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


def words_of(flags: BaseModel | None) -> list[str]:
    """Return the words of a command line by which these flags are given again."""
    return ["=".join(option) for option in options_of(given(flags))]


def options_of(flags: Mapping[str, object]) -> list[tuple[str, ...]]:
    """Return each flag as it is typed: its option, and its value unless it is a plain yes."""
    options = {f"--{name.replace('_', '-')}": value for name, value in flags.items()}
    return [(option,) if value is True else (option, str(value)) for option, value in options.items()]


def sentence(error: CycloptsError) -> str:
    """Return what is wrong with a command line, and how it is meant to be given; values of unknown options stay out."""
    command = " ".join(("katana-mcp", *(error.command_chain or ())))
    match error:
        case UnknownCommandError(unused_tokens=[name, *rest]):
            there = [] if error.app is None else [entry for entry in error.app if not entry.startswith("-")]
            message = _no_command(command, name, rest, there)
        case UnknownOptionError():
            message = _no_option(command, error)
        case UnusedCliTokensError(unused_tokens=[word, *_]):
            how = "an option with a value is given as --name value, one without as --name alone"
            message = f"{command} takes options only, and {word!r} is none: {how}; {command} --help names them"
        case MissingArgumentError(keyword=str(name)):
            message = f"{name} needs a value, as in {name} VALUE"
        case MissingArgumentError(argument=Argument(name=name)):
            message = f"{command} needs {name}; {command} --help tells what it is"
        case CoercionError(token=token, target_type=kind) if token is not None and kind in _KINDS:
            name = token.keyword or (error.argument.name if error.argument else "")
            message = f"{name} is {token.value[:_SHOWN]!r}: {wrong(_KINDS[kind], {}, '')}"
        case RepeatArgumentError():
            message = f"{error.token.keyword} is given more than once"
        case _:
            message = " ".join(str(error).split())
    return message


_KINDS: dict[object, str] = {int: "int_parsing", bool: "bool_parsing"}
_SHOWN = 40


def _no_command(command: str, name: str, rest: list[str], there: list[str]) -> str:
    if not name.startswith("-"):
        return f"no command is called {name!r}; {meant(name, there)}"
    option, first = name.partition("=")[0], next((word for word in rest if word in there), there[0])
    return f"{command} takes a command first, then options, as in {command} {first} {option}"


def _no_option(command: str, error: UnknownOptionError) -> str:
    name = (error.token.keyword or error.token.value).partition("=")[0]
    field = name.lstrip("-").replace("-", "_")
    arguments = error.argument_collection
    takes_words = any(argument.field_info.kind is argument.field_info.VAR_POSITIONAL for argument in arguments)
    if field in SECRETS:
        hint = f"a command line can be read by others, so {variable(field)} is set in the environment or in .env"
    elif field.startswith("entit") and takes_words:
        hint = f"entities are given as words alone, as in {command} variant product"
    else:
        options = [option for argument in arguments for option in argument.names if option.startswith("--")]
        hint = meant(name, options, f"{command} --help names those that there are")
    return f"{command} has no option {name}; {hint}"
