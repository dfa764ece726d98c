"""What may be asked of a definition: what it is called, what it holds, of which records, and that it goes."""

from typing import Annotated, ClassVar

from pydantic import Field

from katana_client.models.values import (
    CustomFieldDefinitionEntityType,
    CustomFieldDefinitionFieldType,
    CustomFieldOptionsAppearson,
)
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NewName, ShortText, WriteRequest, own_id
from katana_mcp.writing.preview import Preview


class DefineCustomFieldRequest(WriteRequest):
    """Arguments of `define_custom_field`."""

    also: ClassVar[Offers] = own_id("field", "custom_field_definition_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("name", "title", "new_label", "new_name"), ("label",)),
        **dict.fromkeys(("custom_field", "field_id", "definition_id", "field_name"), ("field",)),
        **dict.fromkeys(("type", "kind", "data_type", "value_type"), ("field_type", "entity_type")),
        **dict.fromkeys(("entity", "record_type", "applies_to", "of"), ("entity_type",)),
        **dict.fromkeys(("options", "values", "select_options"), ("choices",)),
        **dict.fromkeys(("appearsOn", "shown_on", "show_on"), ("appears_on",)),
        **dict.fromkeys(("remove", "is_deleted"), ("delete",)),
    }
    never_null: ClassVar[frozenset[str]] = frozenset(
        {"field", "label", "field_type", "entity_type", "choices", "appears_on", "delete"}
    )

    field: NewName | None = None
    """Id or label; left out: a new one."""
    label: NewName | None = None
    """Its name."""
    field_type: CustomFieldDefinitionFieldType | None = None
    """Never changes."""
    entity_type: CustomFieldDefinitionEntityType | None = None
    """Whose field; never changes."""
    description: ShortText | None = None
    """Help text."""
    choices: Annotated[list[NewName], Field(max_length=250)] | None = None
    """Full list; those left out cannot be chosen."""
    appears_on: Annotated[list[CustomFieldOptionsAppearson], Field(max_length=4)] | None = None
    """Where those of variants show too."""
    delete: bool = False
    """Deletes `field` with its values."""


class DefineCustomFieldResponse(Preview):
    """The answer of `define_custom_field`; choices are told by label."""
