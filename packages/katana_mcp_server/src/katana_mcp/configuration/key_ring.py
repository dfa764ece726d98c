"""The API key from the system's keyring, which an optional part of the package asks. Refuses in one sentence."""

KEYRING = "KATANA_API_KEY_KEYRING"
SERVICE = "katana-mcp"
"""Under which name of a program the keyring keeps the key: `uvx keyring set katana-mcp NAME` saves it."""
_WHERE = f"{KEYRING} (--api-key-keyring)"


def kept_key(entry: str) -> str:
    """Return the key of an entry.

    Raises:
        ValueError: the part that asks is not installed, the keyring cannot be asked, or it has no such entry.
    """
    try:
        import keyring  # noqa: PLC0415 - an optional part, and 0.1 s of the start
        from keyring.errors import KeyringError  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        if error.name != "keyring":
            raise
        raise ValueError(
            f"{_WHERE}: asking the keyring is an optional part: install katana-factory-mcp[keyring]"
        ) from None
    try:
        key = (keyring.get_password(SERVICE, entry) or "").strip()
    except KeyringError as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{_WHERE}: the system's keyring cannot be asked: {reason or type(error).__name__}") from None
    if not key:
        raise ValueError(
            f"{_WHERE}: the keyring has no entry {entry!r}: uvx keyring set {SERVICE} {entry} saves the key there"
        )
    return key
