"""Addresses as customers, suppliers and sales orders carry them."""

from cache_core.records import Record, is_set
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer
from katana_mcp.values import get_int, rows


class PostalAddress(Answer):
    """A billing or shipping address, or that of a supplier."""

    address_id: int | None = None
    entity_type: str | None = None
    default: bool | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    phone: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None


def address_in_words(row: Record) -> str:
    """Return an address in words."""
    return ", ".join(str(row[name]) for name in ("line_1", "zip", "city", "country") if row.get(name))


def addresses(record: Record) -> list[PostalAddress]:
    """Return the addresses of a record that are not deleted."""
    live = (row for row in rows(record, "addresses") if not is_set(row, "deleted_at"))
    return [filled(PostalAddress, row, address_id=get_int(row, "id")) for row in live]
