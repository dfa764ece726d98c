"""The factory: account settings and default locations; one object, read-only (facts 3.3)."""

from collections.abc import Mapping
from typing import Never

from katana_client.collection import spec_of
from katana_client.models.factory import Factory
from katana_client.resource import Resource


class FactorySettings(Resource[Factory, Never, Never]):
    """`/factory`."""

    spec = spec_of("factory", Factory, key=())

    async def read(self) -> Factory:
        """Return the settings; a field that cannot be read is None and missing from `model_fields_set`.

        Raises:
            UnexpectedResponse: The answer is no object.
        """
        return self.understood(await self.read_record())

    async def read_record(self) -> Mapping[str, object]:
        """Return the settings as a plain dict, normalised.

        Raises:
            UnexpectedResponse: The answer is no object.
        """
        return await self.read_object(self.spec.path)
