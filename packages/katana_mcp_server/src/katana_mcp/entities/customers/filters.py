"""What customers can be listed by."""

from typing import Annotated, Literal

from katana_mcp.surface.operations.custom_filters import CustomValues, carries
from katana_mcp.surface.operations.filters import ByChange, ByCreation, DatedListRequest, ExactText, InCurrency, exactly
from katana_mcp.tools.requests import own_ids


class ListCustomersRequest(DatedListRequest):
    """Filters of `list_customers`."""

    also = own_ids("customer_id", "customer_ids")

    name: Annotated[ExactText | None, exactly("name")] = None
    """The name, or a part that only one customer's name has."""
    company: Annotated[ExactText | None, exactly("company")] = None
    """The exact company."""
    email: Annotated[ExactText | None, exactly("email")] = None
    """The exact e-mail address."""
    reference_id: Annotated[ExactText | None, exactly("reference_id")] = None
    """The exact reference, such as a number in another system."""
    category: Annotated[ExactText | None, exactly("category")] = None
    """The exact category."""
    currency: InCurrency = None
    custom_fields: Annotated[CustomValues | None, carries("Customer")] = None
    """By label or id."""
    order_by: Literal[ByCreation, "-name", "name", ByChange] | None = None
    """Descending with `-`."""
