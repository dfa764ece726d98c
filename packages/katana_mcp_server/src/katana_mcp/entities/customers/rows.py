"""How a customer looks in a search."""

from cache_core.protocol import Stored
from katana_mcp.names import Names, text
from katana_mcp.services import Services
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import number, whole


class CustomerRow(Answer):
    """A customer."""

    customer_id: int | None = None
    name: str | None = None
    company: str | None = None
    email: str | None = None
    phone: str | None = None
    currency: str | None = None
    category: str | None = None
    reference_id: str | None = None
    discount_rate: Number | None = None
    """Percent."""
    url: str | None = None


def customer_row(stored: Stored, _: Names, services: Services) -> CustomerRow:
    """Return the row for a customer."""
    record = stored.record
    return CustomerRow(
        customer_id=whole(record, "id"),
        name=text(record, "name"),
        company=text(record, "company"),
        email=text(record, "email"),
        phone=text(record, "phone"),
        currency=text(record, "currency"),
        category=text(record, "category"),
        reference_id=text(record, "reference_id"),
        discount_rate=number(record, "discount_rate"),
        url=services.url(f"/contacts/customers/{stored.id}"),
    )
