"""The older form of custom fields: collections of them.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.custom_fields_collections import CustomFieldsCollection
from katana_client.resource import Resource


class CustomFieldsCollections(Resource[CustomFieldsCollection, Never, Never]):
    """`/custom_fields_collections`."""

    spec = spec_of("custom_fields_collections", CustomFieldsCollection)

    async def read_all(self) -> tuple[CustomFieldsCollection, ...]:
        """Return all collections."""
        return await self.read_rows("/custom_fields_collections", CustomFieldsCollection)
