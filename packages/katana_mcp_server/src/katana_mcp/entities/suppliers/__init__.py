"""Suppliers: who the factory buys from. They are read as reference data, and written here."""

from katana_mcp.entities.suppliers.writes import WRITES
from katana_mcp.surface.descriptor import Entity

SUPPLIERS = Entity(
    name="supplier",
    plural="suppliers",
    toolset="purchasing",
    sources=("supplier",),
    searched=(),
    writes=WRITES,
    absent={
        "search": "`list_reference` with kind supplier and a query finds suppliers by name, e-mail, phone or comment",
        "list": "`list_reference` with kind supplier lists suppliers, each with its address",
        "get": "`list_reference` with kind supplier and its name as query shows a supplier with its address",
    },
    notes={
        "modify": "Fields left out stay unchanged; null clears a field. `list_reference` shows its `address_id`.",
        "delete": "Its orders and items stay; a new one gets a new id.",
    },
)
