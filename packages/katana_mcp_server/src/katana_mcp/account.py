"""Which account a command works on: the one of the settings, or the sandbox inside this process."""

from pydantic import SecretStr

from katana_mcp.settings import Settings
from katana_mcp.wiring import Outside


def account(settings: Settings) -> tuple[Settings, Outside]:
    """Return the settings with the account's key, and how the account is reached."""
    if not settings.runs_own_sandbox:
        return settings, Outside()
    # The sandbox is loaded only when it was asked for.
    from katana_mcp.sandbox import OwnSandbox  # noqa: PLC0415

    own = OwnSandbox()
    known = settings.model_copy(update={"api_key": SecretStr(own.api_key), "sync_api_key": None})
    return known, Outside(transport=own.transport())
