"""Addresses that settings may name: of web pages, of hosts that a server answers to, of pages that may call it."""

import re
from urllib.parse import urlsplit

THIS_MACHINE = frozenset({"127.0.0.1", "localhost", "::1"})
_NO_ADDRESS = "must be an address such as https://factory.katanamrp.com, without user, query or fragment"
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")


def checked_web_address(value: str) -> str:
    """Take an address that links can begin with: https, or http on this machine, and a host."""
    address = value.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        raise ValueError(_NO_ADDRESS) from None
    safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in THIS_MACHINE)
    plain = address.isprintable() and not set(address) & set(" ?#@\\\"'<>`")
    if not (safe and plain and parts.hostname):
        raise ValueError(_NO_ADDRESS)
    return address


def checked_proxy(value: str) -> str:
    """Take the address of a proxy; it may hold a password, and so is never shown."""
    message = "must be the address of a proxy, as http://proxy.example:3128, with user:password@ where it wants some"
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise ValueError(message) from None
    plain = value.isprintable() and parts.path in {"", "/"} and not (parts.query or parts.fragment)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
        raise ValueError(message)
    return value


def checked_hosts(values: tuple[str, ...]) -> tuple[str, ...]:
    """Take hosts, each with a port where it has one."""
    for value in values:
        if _HOST.fullmatch(value) is None:
            raise ValueError(f"{value[:80]!r} is no host: name one as shop.example, shop.example:8443 or [::1]:8443")
    return values


def checked_origins(values: tuple[str, ...]) -> tuple[str, ...]:
    """Take origins of web pages."""
    for value in values:
        scheme, _, host = value.rstrip("/").partition("://")
        if scheme.lower() not in {"http", "https"} or _HOST.fullmatch(host) is None:
            raise ValueError(f"{value[:80]!r} is no origin: name one as https://shop.example, without a path")
    return values
