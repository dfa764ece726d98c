"""Paths, the key and the base URL: what may be sent where. Pure, and strict: a request stays on its path."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit
from uuid import UUID

from katana_client.errors import ConfigurationError, InvalidRequest

MAX_ID = 2_147_483_647
_PATH = re.compile(r"(?:/[a-z0-9_]+(?:-[a-z0-9]+)*)+", re.ASCII)
_MAX_PATH = 200
_MAX_KEY = 4_096
_QUOTES = "\"'`"
_MAX_HOST = 253
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*\.?", re.ASCII)
_BASE_PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)*/?", re.ASCII)


def check_path(path: str) -> None:
    """Refuse a path that is not made of plain lower-case segments.

    Raises:
        InvalidRequest: The path holds anything else.
    """
    if len(path) > _MAX_PATH or not _PATH.fullmatch(path):
        message = "a path is made of /segments of a-z, 0-9, _ and -, at most 200 characters"
        raise InvalidRequest(message)


def record_path(collection: str, identity: int | str | UUID, *, uuid: bool = False) -> str:
    """Return the path of one record.

    Args:
        collection: The collection's name, such as `sales_orders`.
        identity: A positive 32-bit integer, or a UUID where the collection has those (facts 1.8).
        uuid: Whether the collection's ids are UUIDs.

    Raises:
        InvalidRequest: The id is of another kind; text is never put into a path.
    """
    return f"/{collection}/{checked_uuid(identity) if uuid else checked_id(identity)}"


def checked_id(identity: object) -> int:
    """Return `identity` when it is a positive 32-bit integer.

    Raises:
        InvalidRequest: It is not.
    """
    if isinstance(identity, bool) or not isinstance(identity, int) or not 1 <= identity <= MAX_ID:
        message = f"an id is a whole number from 1 to {MAX_ID}"
        raise InvalidRequest(message)
    return identity


def checked_uuid(identity: object) -> str:
    """Return `identity` in the canonical text form of a UUID.

    Raises:
        InvalidRequest: It is no UUID.
    """
    message = "the ids of this collection are UUIDs"
    if not isinstance(identity, str | UUID):
        raise InvalidRequest(message)
    try:
        canonical = str(UUID(str(identity)))
    except ValueError:
        raise InvalidRequest(message) from None
    if canonical != str(identity).lower():
        raise InvalidRequest(message)
    return canonical


def checked_key(api_key: str) -> str:
    """Return the trimmed key.

    Raises:
        ConfigurationError: It is empty or a placeholder, has quotes around it or inner blanks, or is not printable
            ASCII. The text never holds the key.
    """
    key = api_key.strip()
    if not key:
        message = "the Katana API key is missing: make one in Katana under Settings > API > API keys"
        raise ConfigurationError(message)
    if key.lower().startswith("bearer "):
        message = "the Katana API key is given with a leading 'Bearer': give the key alone"
        raise ConfigurationError(message)
    if key[0] in _QUOTES or key[-1] in _QUOTES:
        message = "the Katana API key holds quotes: give the key alone"
        raise ConfigurationError(message)
    if not key.strip(".") or key.startswith("<") or _PLACEHOLDER.fullmatch(key) is not None:
        message = "the Katana API key is a placeholder: copy the key from Katana"
        raise ConfigurationError(message)
    if len(key) > _MAX_KEY or not all("!" <= character <= "~" for character in key):
        message = "the Katana API key holds blanks or characters that no key has: copy it again"
        raise ConfigurationError(message)
    return key


_PLACEHOLDER = re.compile(
    r"[x*]+|(?:your|insert|enter|paste|put)[-_].*(?:key|token|secret).*|(?:katana[-_])?api[-_]?key|your[-_]?key"
    r"|change[-_]?me|placeholder|to-?do",
    re.IGNORECASE,
)
"""What stands in examples in place of a key; those of Katana are UUIDs."""


def checked_base_url(base_url: str) -> str:
    """Return the base URL without trailing slash.

    Raises:
        ConfigurationError: It is neither https, nor http on a loopback address, or carries more than a plain host
            and path.
    """
    url = base_url.strip()
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        message = f"the Katana base URL cannot be read: {error}"
        raise ConfigurationError(message) from None
    if not parts.hostname or any(character.isspace() or not character.isprintable() for character in url):
        message = "the Katana base URL needs a scheme and a host, such as https://api.katanamrp.com/v1"
        raise ConfigurationError(message)
    if "?" in url or "#" in url or "@" in parts.netloc:
        message = "the Katana base URL may not carry a user, a query or a fragment"
        raise ConfigurationError(message)
    if not _is_plain_host(parts.hostname) or not _BASE_PATH.fullmatch(parts.path):
        message = "the Katana base URL needs a plain ASCII host and a path without dot segments, escapes or '//'"
        raise ConfigurationError(message)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        message = "the Katana base URL must be https, or http on a loopback address: the key travels with it"
        raise ConfigurationError(message)
    return url.rstrip("/")


def _is_plain_host(host: str) -> bool:
    if ":" in host or host.replace(".", "").isdecimal():
        try:
            ip_address(host)
        except ValueError:
            return False
        return True
    return len(host) <= _MAX_HOST and "xn--" not in host and _HOST.fullmatch(host) is not None


def is_loopback(host: str) -> bool:
    """Tell whether `host` can only be this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
