"""What creating, modifying and deleting customers share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import Selection
from cache_core.records import Json, Record, canonical
from katana_client.models.customer_addresses import CustomerAddress
from katana_client.models.customers import Customer
from katana_mcp.entities.customers.addresses import live_addresses
from katana_mcp.lookup import live_record, live_with_key
from katana_mcp.names import text
from katana_mcp.operations.filters import Currency
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Notes, Percent, ShortText, WriteRequest
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import whole
from katana_mcp.writing.meaning import same
from katana_mcp.writing.preview import FieldChange, shown_value

ENTITY, COLLECTION = "customer", "customers"
_PERSON = ("name", "first_name", "last_name", "company", "email", "phone")
TEXTS = (*_PERSON, "comment", "currency", "reference_id", "category")
HEAD = (*TEXTS, "discount_rate")
"""Fields that a request may set, under Katana's names."""
CALLED = "others with the name"
"""The part of `touches` that holds the ids of other customers with the name of this one."""
_MOST = 10_000


class CustomerFields(WriteRequest):
    """What a customer holds besides a name and addresses."""

    first_name: ShortText | None = None
    """First name."""
    last_name: ShortText | None = None
    """Last name."""
    company: ShortText | None = None
    """Company."""
    email: ShortText | None = None
    """E-mail."""
    phone: ShortText | None = None
    """Number."""
    comment: Notes | None = None
    """Remarks."""
    currency: Currency | None = None
    """ISO 4217 code, EUR."""
    reference_id: ShortText | None = None
    """Number elsewhere."""
    category: ShortText | None = None
    """A kind of customer."""
    discount_rate: Percent | None = None
    """Percent off."""

    @property
    def head(self) -> dict[str, Json]:
        """The fields of the head that the request names; an empty text is nothing."""
        given = canonical({name: getattr(self, name) for name in HEAD if name in self.model_fields_set})
        return {name: None if value == "" else value for name, value in given.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class OldCustomer:
    """A customer as it is in Katana now; `taken` are others that have the name it is to get."""

    now: datetime
    record: Record
    deleted: bool = False
    taken: tuple[int, ...] = ()

    @property
    def id(self) -> int:
        """Its id."""
        return int(str(self.record["id"]))

    @property
    def name(self) -> str:
        """Its name."""
        return text(self.record, "name") or str(self.id)

    @property
    def addresses(self) -> Mapping[int, Record]:
        """Its addresses by id."""
        return {int(str(each["id"])): each for each in live_addresses(self.record)}

    @property
    def defaults(self) -> frozenset[int | None]:
        """The ids of its default addresses."""
        return frozenset(whole(self.record, f"default_{kind}_id") for kind in ("billing", "shipping"))


async def gather_old(wanted: int | str, called: str | None, services: Services) -> OldCustomer:
    """Read a customer as it is in Katana now, and which others have the name that it is to get."""
    await current(services, (ENTITY,), (ENTITY,))
    stored = await live_record(services, ENTITY, wanted, "name")
    having = () if called is None else await live_with_key(services, ENTITY, called)
    taken = tuple(each for each in having if each != stored.id)
    return OldCustomer(now=services.clock.now(), record=stored.record, deleted=stored.deleted, taken=taken)


async def ever_called(name: str, services: Services) -> tuple[int, ...]:
    """Return the ids of the cached customers that have this name, deleted ones too."""
    selection = Selection((OneOf("name", (name,)),), Order("id"), _MOST, visibility=EVERYTHING)
    return tuple(each.id for each in await services.cache.select(ENTITY, selection) if isinstance(each.id, int))


def duplicates(name: str, taken: Sequence[int]) -> list[ToolWarning]:
    """Return that other customers have a name."""
    told = f"customer {', '.join(map(str, taken[:5]))} is called {name} too: a name alone will not find either"
    return [advisory(warning_codes.DUPLICATE_NAME, told, "name")] if taken else []


def unlike(name: str, value: Json, record: Record) -> bool:
    """Return whether a field of a customer or of an address is to be something else than it is."""
    return not same(Customer if name in Customer.model_fields else CustomerAddress, name, value, record.get(name))


def changes(prefix: str, new: Mapping[str, Json], old: Record) -> Iterable[FieldChange]:
    """Yield the change of each field: `addresses[12].city`."""
    for name, value in new.items():
        yield FieldChange(field=f"{prefix}{name}", old=shown_value(old.get(name)), new=shown_value(value))
