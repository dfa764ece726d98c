"""What several documents embed in one form: batches, traces, attributes, custom fields, options."""

from collections.abc import Mapping
from typing import cast

from cache_core.records import Record
from katana_mcp.references.display_names import Names
from katana_mcp.tools.answers import Answer, Number, plain
from katana_mcp.values import rows


class BatchTransaction(Answer):
    """How much of a batch; without an id, of stock in no batch."""

    batch_id: int | None = None
    quantity: Number | None = None


class Traced(BatchTransaction):
    """How much of a batch, or which serial number, and the bin of it."""

    serial_number_id: int | None = None
    bin_location_id: int | None = None


class Attribute(Answer):
    """What a shop says of a row."""

    key: str | None = None
    value: str | None = None


class CustomField(Answer):
    """A field of the account's own."""

    field: str
    """Its label, or the id of its definition where that is not known."""
    value: object = None


def custom_fields(record: Record, name: str, names: Names | None = None) -> list[CustomField] | None:
    """Return the custom fields that have a value; Katana sends them in a list, or by the ids of their definitions."""
    sent = record.get(name)
    if isinstance(sent, Mapping):
        named = Names() if names is None else names
        said = [named.custom_field(key, value) for key, value in cast("Mapping[str, object]", sent).items()]
    else:
        said = [(row.get("field_name"), row.get("field_value")) for row in rows(record, name)]
    fields = [CustomField(field=str(key), value=plain(value)) for key, value in said if key and value is not None]
    return fields or None


def config(variant: Record) -> str | None:
    """Return the options of a variant, `Size: L, Colour: Red`, or None when it has none."""
    pairs = [(row.get("config_name"), row.get("config_value")) for row in rows(variant, "config_attributes")]
    return ", ".join(f"{name}: {value}" if name else str(value) for name, value in pairs if value) or None
