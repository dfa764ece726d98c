"""Custom fields that an account defines, for what can be written."""

from katana_sandbox import Tenant

from .writes import Arguments, live


def defined_field(tenant: Tenant, kind: str) -> str:
    """Return the id of a custom field of these records, which is defined where there is none."""
    existing = [
        definition["id"] for definition in live(tenant, "custom_field_definitions") if definition["entity_type"] == kind
    ]
    body: Arguments = {"label": f"Colour of {kind}", "field_type": "shortText", "entity_type": kind, "source": "us"}
    return str(existing[0] if existing else tenant.create("custom_field_definitions", body)["id"])


def free_values(tenant: Tenant, kind: str) -> list[object]:
    """Return custom fields of these records: values, one that is taken away, and none."""
    key = defined_field(tenant, kind)
    return [{f"Colour of {kind}": "red"}, {key: 7}, {key: None}, {}, [{"field": key, "value": "blue"}]]
