"""What addresses share, whosever they are: the place, and who is to be met there (facts 3.3, 3.5, 4.2)."""

from katana_client.wire import NonEmpty, WriteModel

PLACE = ("line_1", "line_2", "city", "state", "zip", "country")
PERSON = ("first_name", "last_name", "company", "phone")


class NewPlace(WriteModel):
    """Where something is to be."""

    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None


class NewPersonAddress(NewPlace):
    """Where, and with whom, something is to be."""

    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    phone: str | None = None


class PlaceChange(WriteModel):
    """A change of a place, where Katana refuses empty texts."""

    line_1: NonEmpty | None = None
    line_2: NonEmpty | None = None
    city: NonEmpty | None = None
    state: NonEmpty | None = None
    zip: NonEmpty | None = None
    country: NonEmpty | None = None
