"""User info as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import ReadModel


class UserInfo(ReadModel):
    """The user of an API key."""

    id: int | None = None
    firstName: str | None = None  # noqa: N815 - as Katana has it
    lastName: str | None = None  # noqa: N815 - as Katana has it
    email: str | None = None
