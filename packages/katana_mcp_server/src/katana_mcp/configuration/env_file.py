"""The file of settings: `.env` of the working directory, or the one that was named. Refuses what others may write."""

import io
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from dotenv.parser import Binding, parse_stream

FILE = ".env"


class SettingsError(Exception):
    """A setting that cannot work; the message is one sentence per problem."""


@dataclass(frozen=True, slots=True)
class EnvFile:
    """A file of settings.

    Attributes:
        path: where it is; None where there is none.
        names: what it gives values to, as written.
        named: whether who starts the server named it, as against finding it in the working directory.
    """

    path: Path | None
    names: tuple[str, ...] = ()
    named: bool = False


def read_env_file(named: Path | None = None) -> EnvFile:
    """Return the file that was named, else `.env` of the working directory where there is one.

    Raises:
        SettingsError: it cannot be read, or gives values to our settings and others may write it; a line that says
            nothing, which may hold a key, is named by its number.
    """
    path = (named or Path(FILE)).absolute()
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        if named is not None:
            raise SettingsError(f"{path} does not exist: name a file of settings with --env-file") from None
        return EnvFile(None)
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8 text") from None
    except IsADirectoryError:
        raise SettingsError(f"{path} is a directory, and not a file of settings") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    names = _names(path, text)
    if any(name.upper().startswith("KATANA") for name in names):
        refuse_if_shared(path, "set what is done with your key")
    return EnvFile(path, names, named is not None)


def _names(path: Path, text: str) -> tuple[str, ...]:
    """Return what the text gives values to: what it says wrongly would be left out in silence."""
    bindings = list(parse_stream(io.StringIO(text)))
    wrong = [_line(binding) for binding in bindings if binding.error or (binding.key and binding.value is None)]
    if wrong:
        raise SettingsError(
            f"{path}: line {', '.join(wrong[:5])} cannot be read: write NAME=value, and quotes in pairs"
        )
    return tuple(binding.key for binding in bindings if binding.key is not None)


def _line(binding: Binding) -> str:
    """Return the number of the line; what stands before it on blank ones is part of it."""
    text = binding.original.string
    return str(binding.original.line + text[: len(text) - len(text.lstrip())].count("\n"))


def refuse_if_shared(path: Path, harm: str) -> None:
    """Stop where another user of the machine may write the file; where the system does not tell, nothing is known.

    Args:
        path: the file.
        harm: what somebody could do by writing it.

    Raises:
        SettingsError: somebody else may.
    """
    if not hasattr(os, "geteuid"):
        return
    status = path.stat()
    if status.st_uid not in {os.geteuid(), 0}:
        raise SettingsError(f"{path} belongs to another user of this machine, who could {harm}")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SettingsError(f"{path} can be written by other users of this machine: chmod go-w {path}")
