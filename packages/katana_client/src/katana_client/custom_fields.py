"""Custom fields in the two forms that accounts have: a list of three at most, or an object by definition."""

from typing import Annotated

from pydantic import Field

from katana_client.wire import FreeFields, ReadModel, WriteModel


class CustomField(ReadModel):
    """A legacy custom field of an item."""

    field_name: str | None = None
    field_value: str | None = None


class CustomFieldInput(WriteModel):
    """A legacy custom field of an item."""

    field_name: str
    field_value: str


type CustomFields = dict[str, object] | list[CustomField] | None
"""Read: values by the UUID of their definition, or the legacy list."""
type CustomFieldInputs = Annotated[list[CustomFieldInput], Field(max_length=3)] | FreeFields
"""Write: in the form that the account has; a list replaces all of them, an object those that it names."""
