"""Which account a command works on: the one of the settings, or the sandbox inside this process."""

from pydantic import SecretStr

from katana_mcp.configuration.settings import Settings
from katana_mcp.server.wiring import Environment


def account(settings: Settings) -> tuple[Settings, Environment]:
    """Return the settings with the account's key, and how the account is reached."""
    if not settings.runs_own_sandbox:
        return settings, Environment()
    # The sandbox is loaded only when it was asked for.
    from katana_mcp.configuration.sandbox import OwnSandbox  # noqa: PLC0415

    own = OwnSandbox()
    account_settings = settings.model_copy(update={"api_key": SecretStr(own.api_key), "sync_api_key": None})
    return account_settings, Environment(transport=own.transport())
