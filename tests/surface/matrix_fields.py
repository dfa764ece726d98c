"""The usual call of the tool that plans to define custom fields, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Changes, Usual, changed_each
from .writes_fields import DEFINITIONS


def field_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return it, by tool."""
    key = next(record["id"] for record in tenant.all(DEFINITIONS) if record["label"] == "Gift note")
    select: Changes = {"choices": {"field_type": "singleSelect", "choices": ["Oak", "Ash"]}}
    elsewhere: Changes = {"appears_on": {"entity_type": "ProductVariant", "appears_on": ["SalesOrderRow"]}}
    changes = changed_each(
        field=key, label="Varnish", field_type="url", entity_type="Supplier", description="Of the frame", delete=True
    )
    usual: dict[str, object] = {"label": "Paint colour", "field_type": "shortText", "entity_type": "SalesOrder"}
    return {"define_custom_field": Usual(usual, changes | select | elsewhere)}
