"""Who the API key belongs to.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.answers import answered
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.user_info import UserInfo
from katana_client.resource import Resource


class UserInfos(Resource[UserInfo, Never, Never]):
    """`/user_info`."""

    spec = spec_of("user_info", UserInfo)

    async def read(self) -> UserInfo:
        """Return the user of the key."""
        return await answered(self.sender, Call("GET", "/user_info"), UserInfo)
