"""What addresses share, whoever's they are."""

from datetime import datetime

from cache_typed.columns import moment
from cache_typed.documents import Part, text, whole


class Address(Part):
    """Where something is."""

    id: int | None = whole()
    line_1: str | None = text()
    line_2: str | None = text()
    city: str | None = text()
    state: str | None = text()
    zip: str | None = text()
    country: str | None = text()


class PartnerAddress(Address):
    """An address that a customer or a supplier is found by."""

    id: int | None = whole(index=True)
    city: str | None = text(index=True)
    zip: str | None = text(index=True)
    country: str | None = text(index=True)
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
