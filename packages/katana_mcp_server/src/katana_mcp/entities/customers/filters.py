"""What customers can be listed by."""

from typing import Annotated, Literal

from katana_mcp.operations.filters import Currency, DatedListRequest, ExactText, equals


class ListCustomersRequest(DatedListRequest):
    """Filters of `list_customers`."""

    name: Annotated[ExactText | None, equals("name")] = None
    """The exact name; several customers can have it."""
    company: Annotated[ExactText | None, equals("company")] = None
    """The exact company."""
    email: Annotated[ExactText | None, equals("email")] = None
    """The exact e-mail address."""
    reference_id: Annotated[ExactText | None, equals("reference_id")] = None
    """The exact reference, such as a number in another system."""
    category: Annotated[ExactText | None, equals("category")] = None
    """The exact category."""
    currency: Annotated[Currency | None, equals("currency")] = None
    """ISO 4217 code, EUR."""
    order_by: Literal["-created_at", "created_at", "-name", "name", "-updated_at", "updated_at"] | None = None
    """Sort key, `-` for descending; newest created first by default."""
