"""Custom field definitions as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class CustomFieldChoice(ReadModel):
    """One choice of a custom field."""

    id: int | None = None
    label: str | None = None
    deleted: bool | None = None


class CustomFieldOptions(ReadModel):
    """What a custom field lets choose from, and where it is shown."""

    choices: list[CustomFieldChoice] | None = None
    appearsOn: list[str] | None = None  # noqa: N815 - as Katana has it


class CustomFieldDefinition(ReadModel):
    """A custom field that records of a kind can have."""

    id: str | None = None
    label: str | None = None
    field_type: str | None = None
    entity_type: str | None = None
    source: str | None = None
    description: str | None = None
    options: CustomFieldOptions | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
