"""Customers: who the factory sells to."""

from katana_mcp.descriptor import Entity, View
from katana_mcp.entities.customers.rows import CustomerRow, customer_row

_LATER = "comes with the whole read surface"
_WRITES = "writing comes with the write rail"

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
    ),
    summary=View(model=CustomerRow, own=customer_row),
    absent={"list": _LATER, "get": _LATER, "create": _WRITES, "modify": _WRITES, "delete": _WRITES},
)
