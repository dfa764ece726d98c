"""Users of the account.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.users import User
from katana_client.resource import Resource


class Users(Resource[User, Never, Never]):
    """`/users`."""

    spec = Spec(
        name="users",
        model=User,
        filters=Filters(
            single=(
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
            )
        ),
    )
