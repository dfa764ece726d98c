"""Custom fields collections as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class CustomField(ReadModel):
    """A custom field in its older form."""

    id: int | None = None
    name: str | None = None
    field_type: str | None = None
    label: str | None = None
    required: bool | None = None
    options: list[str] | None = None


class CustomFieldsCollection(ReadModel):
    """A collection of custom fields in their older form."""

    id: int | None = None
    name: str | None = None
    resource_type: str | None = None
    custom_fields: list[CustomField] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
