"""How a customer looks in searches and lists."""

from cache_core.protocol import Stored
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int


class CustomerRow(Answer):
    """A customer."""

    customer_id: int | None = None
    name: str | None = None
    company: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None
    currency: str | None = None
    category: str | None = None
    reference_id: str | None = None
    discount_rate: Number | None = None
    """Percent."""
    deleted_at: str | None = None
    url: str | None = None


ROW_READS = frozenset({"id"})
"""What `customer_row` reads of a record besides what a row of the list has under the same name."""


def customer_row(stored: Stored, _: Names, services: Services) -> dict[str, object]:
    """Return what a customer's record does not say of itself."""
    return {"customer_id": get_int(stored.record, "id"), "url": services.url(f"/contacts/customers/{stored.id}")}
