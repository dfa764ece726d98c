"""Users of the account.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.users import User
from katana_client.resource import Resource


class Users(Resource[User, Never, Never]):
    """`/users`."""

    spec = spec_of("users", User)
