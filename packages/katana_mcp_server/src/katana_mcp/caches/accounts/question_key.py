"""The key that seals questions to a person: made once, kept in the state directory, shared by every server on it."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from cache_core.errors import CacheUnavailable
from cache_core.files import keep_private, open_in_place, private_directory, private_file

_NAME = "question.key"
_BYTES = 32


def question_key(root: Path | None) -> bytes:
    """Return the key of this state directory, made by whoever comes first; without one, a key for this process alone.

    Raises:
        CacheUnavailable: the directory or the file cannot be used, or holds no key.
    """
    if root is None:
        return secrets.token_bytes(_BYTES)
    path = private_directory(root) / _NAME
    try:
        if not path.exists(follow_symlinks=False):
            _make(path)
        with open_in_place(path) as file:
            keep_private(file)
            size, key = os.fstat(file.fileno()).st_size, file.read(_BYTES)
    except OSError as error:
        raise CacheUnavailable(f"the key of questions {path} cannot be used: {error.strerror}") from error
    if size != _BYTES:
        raise CacheUnavailable(f"the key of questions {path} has {size} bytes and not {_BYTES}: move it away")
    return key


def _make(path: Path) -> None:
    """Put a new key there, whole or not at all; that of another process that was faster stays."""
    draft = path.with_name(f"{_NAME}.{secrets.token_hex(8)}")
    try:
        with private_file(draft).open("wb") as file:
            file.write(secrets.token_bytes(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
