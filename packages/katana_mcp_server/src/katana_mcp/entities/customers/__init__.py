"""Customers: who the factory sells to."""

from katana_mcp.entities.customers.filters import ListCustomersRequest
from katana_mcp.entities.customers.get import GET_CUSTOMER
from katana_mcp.entities.customers.rows import ROW_READS, CustomerRow, customer_row
from katana_mcp.entities.customers.writes import WRITES
from katana_mcp.surface.descriptor import Entity, View

CUSTOMERS = Entity(
    name="customer",
    plural="customers",
    toolset="sales",
    sources=("customer",),
    searched=(
        "name",
        "company",
        "first and last name",
        "e-mail",
        "phone",
        "reference",
        "comment",
        "category",
        "addresses",
    ),
    forgiving=True,
    summary=View(model=CustomerRow, computed_fields=customer_row, reads=ROW_READS),
    list_request=ListCustomersRequest,
    get=GET_CUSTOMER,
    writes=WRITES,
    notes={
        "list": "Filters are exact and combine; newest first. `search_customers` finds parts of a name.",
        "modify": "Fields left out stay unchanged; null clears a field.",
        "delete": "Its orders stay; made again it gets new ids.",
    },
)
