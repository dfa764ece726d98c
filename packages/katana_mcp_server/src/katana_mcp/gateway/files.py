"""The files of the catalogue: what was written by hand, what was adopted, and what a server keeps of what it saw.

Each is written whole beside the old one and put in its place, so that whoever reads finds one of the two.
"""

import hashlib
import json
import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from cache_core.files import private_directory
from katana_mcp.gateway.adoption import Attempt
from katana_mcp.gateway.model import Catalog, CatalogError
from katana_mcp.gateway.schemas import Json, hashes
from katana_mcp.tools.argument_errors import wrong

KEPT = 20
"""Snapshots of the live catalogue that are kept."""
_ATTEMPT = TypeAdapter(Attempt)


@dataclass(frozen=True, slots=True)
class CatalogFiles:
    """Where they stand.

    Attributes:
        written: `catalog.toml`; its overlay for this machine and the lock stand beside it.
        state: a directory of this machine.
    """

    written: Path
    state: Path

    @property
    def folder(self) -> Path:
        """Where programs are started: paths in the catalogue are from there."""
        return self.written.absolute().parent

    @property
    def overlay(self) -> Path:
        """What this machine changes."""
        return self.written.with_suffix(".local.toml")

    @property
    def lock(self) -> Path:
        """What was adopted; written by `katana-mcp catalog adopt` alone."""
        return self.written.with_suffix(".lock.json")

    @property
    def intended(self) -> Path:
        """What is meant to be served."""
        return self.state / "intended.json"

    @property
    def live(self) -> Path:
        """What is served."""
        return self.state / "live.json"

    @property
    def attempts(self) -> Path:
        """What happened to output schemas, a line each."""
        return self.state / "adoption.jsonl"

    @property
    def history(self) -> Path:
        """What was served before."""
        return self.state / "history"

    def descriptors(self, server: str) -> Path:
        """Return where the last listing of a server is kept."""
        return self.state / "descriptors" / f"{server}.json"

    def made_from(self) -> dict[str, str]:
        """Return the hashes of what the intended catalogue is made from."""
        there = [path for path in (self.written, self.overlay, self.lock) if path.exists()]
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in there}


def read_catalog(files: CatalogFiles) -> Catalog:
    """Return what was written, with what this machine changes.

    Raises:
        CatalogError: a file cannot be read, or says what cannot be.
    """
    whole = _toml(files.written)
    if files.overlay.exists():
        whole = _merged(whole, _toml(files.overlay))
    try:
        return Catalog.model_validate(whole)
    except ValidationError as error:
        problems = (
            ": ".join(
                filter(
                    None,
                    (
                        ".".join(map(str, problem["loc"])),
                        wrong(problem["type"], problem.get("ctx", {}), problem["msg"]),
                    ),
                )
            )
            for problem in error.errors(include_input=False)
        )
        raise CatalogError(f"{files.written.name}: {'; '.join(problems)}") from None


def _toml(path: Path) -> Json:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CatalogError(f"{path} is no TOML: {error}") from None


def _merged(below: Json, above: Json) -> Json:
    """Return tables merged key by key; anything else is replaced."""
    both = {key for key in above if isinstance(below.get(key), dict) and isinstance(above[key], dict)}
    return {**below, **above, **{key: _merged(below[key], above[key]) for key in both}}


def read_pins(files: CatalogFiles) -> dict[str, Json]:
    """Return the descriptors that were adopted, by `server.tool`.

    Raises:
        CatalogError: the lock was written by something else.
    """
    if not files.lock.exists():
        return {}
    tools = cast("dict[str, Json]", _json(files.lock).get("tools", {}))
    try:
        incomplete = [target for target, kept in tools.items() if not isinstance(kept["adopted_at"], str)]
        changed = [target for target, kept in tools.items() if hashes(kept["descriptor"]) != kept["hashes"]]
    except (AttributeError, KeyError, TypeError):
        raise CatalogError(f"{files.lock.name} is not as adopting writes it: remove it and adopt again") from None
    if changed or incomplete:
        way = "take the change back, or remove its entry and adopt it again"
        raise CatalogError(f"{files.lock.name}: {(changed or incomplete)[0]} was changed by hand: {way}")
    return {target: kept["descriptor"] for target, kept in sorted(tools.items())}


def write_pins(files: CatalogFiles, pins: Mapping[str, Json], changed: Mapping[str, str]) -> None:
    """Write what was adopted.

    Args:
        files: where.
        pins: the descriptors, by `server.tool`.
        changed: when those were adopted that are new; the others keep their time.
    """
    before = cast("dict[str, Json]", _json(files.lock).get("tools", {})) if files.lock.exists() else {}
    tools = {
        target: {
            "adopted_at": changed.get(target) or before[target]["adopted_at"],
            "hashes": hashes(descriptor),
            "descriptor": descriptor,
        }
        for target, descriptor in pins.items()
    }
    write_json(files.lock, {"tools": tools})


def read_attempts(files: CatalogFiles) -> Iterator[Attempt]:
    """Yield what happened to output schemas; a line that was cut off, or is none, counts for nothing."""
    if not files.attempts.exists():
        return
    for line in files.attempts.read_text("utf-8", "replace").splitlines():
        try:
            attempt = _ATTEMPT.validate_python(json.loads(line))
        except ValueError:
            continue
        yield attempt


def append_attempt(files: CatalogFiles, attempt: Attempt, at: datetime) -> None:
    """Note what happened to an output schema."""
    private_directory(files.state)
    line = json.dumps({"at": at.isoformat(), **asdict(attempt)}, sort_keys=True, ensure_ascii=False)
    with open(files.attempts, "ab") as file:
        # The line before may have been cut off.
        file.write(f"\n{line}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def keep_snapshot(files: CatalogFiles, live: object, at: datetime, *, keep: int = KEPT) -> None:
    """Keep what is served now among what was, and only the newest of these."""
    write_json(files.history / f"{at:%Y%m%dT%H%M%S%fZ}.json", live)
    for old in snapshots(files)[:-keep]:
        old.unlink(missing_ok=True)


def snapshots(files: CatalogFiles) -> list[Path]:
    """Return what was served before, the oldest first."""
    return sorted(files.history.glob("*.json"))


def read_json(path: Path) -> Json | None:
    """Return what a file of the state holds, None where it is not there or no longer fits."""
    try:
        return _json(path)
    except CatalogError:
        return None


def _json(path: Path) -> Json:
    try:
        found: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise CatalogError(f"{path} is no JSON") from None
    if not isinstance(found, dict):
        raise CatalogError(f"{path} holds no object")
    return cast("Json", found)


def text_of(value: object) -> str:
    """Return a value as it stands in a file: the same bytes for the same value."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def write_json(path: Path, value: object) -> None:
    """Put a whole file in the place of the old one.

    Raises:
        CatalogError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text_of(value).encode())
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise CatalogError(f"{path} cannot be written: {error.strerror}") from None
