"""Addresses of customers as they are written: one for billing, many for shipping; a type never changes."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cache_core.records import Json, Record, canonical, is_set
from katana_client.resources.addresses import PERSON, PLACE
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import RecordNumber, ShortText, WriteRequest
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import rows, whole

PART = "customer_addresses"
LINES = (*PERSON, *PLACE)
"""Fields of an address that a request may set, under Katana's names."""


class AddressLines(WriteRequest):
    """Where, and with whom, something is."""

    first_name: ShortText | None = None
    last_name: ShortText | None = None
    company: ShortText | None = None
    phone: ShortText | None = None
    line_1: ShortText | None = None
    line_2: ShortText | None = None
    city: ShortText | None = None
    state: ShortText | None = None
    zip: ShortText | None = None
    country: ShortText | None = None

    @property
    def given(self) -> dict[str, Json]:
        """The lines that the request names; an empty text is nothing."""
        return {name: getattr(self, name) or None for name in LINES if name in self.model_fields_set}


class NewAddress(AddressLines):
    """An address to add."""

    never_null: ClassVar[frozenset[str]] = frozenset((*LINES, "default"))

    entity_type: Literal["billing", "shipping"]
    default: bool | None = None

    @property
    def is_chosen(self) -> bool:
        """Whether it is to be the default; the one address for billing always is."""
        return bool(self.default) and self.entity_type == "shipping"

    @property
    def lines(self) -> dict[str, Json]:
        """Its type, and the lines that are not empty, as they are sent."""
        return {"entity_type": self.entity_type, **{name: each for name, each in self.given.items() if each}}

    @property
    def expected(self) -> dict[str, Json]:
        """All that Katana holds of it afterwards, so that it is told from any other."""
        return {**dict.fromkeys(LINES), **self.lines}


class ChangedAddress(AddressLines):
    """An address to change; its type cannot."""

    address_id: RecordNumber


type NewAddresses = Annotated[list[NewAddress], Field(max_length=50)]
type ChangedAddresses = Annotated[list[ChangedAddress], Field(max_length=50)]


def live_addresses(record: Record) -> list[Record]:
    """Return the addresses of a customer that are not deleted."""
    return [each for each in rows(record, "addresses") if not is_set(each, "deleted_at") and whole(each, "id")]


def again(addresses: Mapping[int, Record], default: int | None) -> dict[int, dict[str, Json]]:
    """Return the arguments that add addresses as they were, by their ids: of those that are alike only the first.

    Args:
        addresses: by their ids.
        default: the id of the default shipping address, which may be none of these.
    """
    lines = {
        key: canonical({name: each[name] for name in ("entity_type", *LINES) if each.get(name)})
        for key, each in addresses.items()
    }
    chosen, kept = lines.get(default or 0), dict[int, dict[str, Json]]()
    for key, each in lines.items():
        if each not in kept.values():  # the same address twice would be refused
            kept[key] = each
    return {key: {**each, "default": True} if each == chosen else each for key, each in kept.items()}


def against_adding(adds: Sequence[NewAddress], place: str, kept: Sequence[Record] = ()) -> list[ToolWarning]:
    """Return what speaks against adding addresses to those that a customer keeps."""
    warnings: list[ToolWarning] = []
    billed = any(each.get("entity_type") == "billing" for each in kept)
    chosen = False
    seen: list[Mapping[str, Json]] = []
    for nr, each in enumerate(adds):
        path = f"{place}[{nr}]"
        if each.entity_type == "billing" and billed:
            told = f"{path}: a customer has one billing address: change or delete the one that there is"
            warnings.append(blocking(warning_codes.SECOND_BILLING_ADDRESS, told, f"{path}.entity_type"))
        if each.is_chosen and chosen:
            told = f"{path}: another address is to be the default shipping address already"
            warnings.append(blocking(warning_codes.INVALID_DEFAULT_ADDRESS, told, f"{path}.default"))
        if each.expected in seen:
            told = f"{path}: the same address is added twice"
            warnings.append(blocking(warning_codes.DUPLICATE_ROW, told, path))
        billed = billed or each.entity_type == "billing"
        chosen = chosen or each.is_chosen
        seen.append(each.expected)
    return warnings
