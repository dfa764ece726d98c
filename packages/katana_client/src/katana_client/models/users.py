"""Users as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class User(ReadModel):
    """A user of the account."""

    id: int | None = None
    firstName: str | None = None  # noqa: N815 - as Katana has it
    lastName: str | None = None  # noqa: N815 - as Katana has it
    email: str | None = None
    role: str | None = None
    status: str | None = None
    last_login_at: Moment = None
    created_at: Moment = None
    updated_at: Moment = None
