"""What a change of a customer asks for, beside what is there: what differs, and what speaks against it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from cache_core.records import Json
from katana_mcp.entities.customers.addresses import (
    ChangedAddress,
    ChangedAddresses,
    NewAddress,
    NewAddresses,
    against_adding,
)
from katana_mcp.entities.customers.head import ENTITY, CustomerFields, OldCustomer, duplicates, unlike
from katana_mcp.lookup import gone
from katana_mcp.tools import warning_codes
from katana_mcp.tools.argument_words import Words
from katana_mcp.tools.requests import NameOrId, NewName, RecordNumber, own_id
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking

DEFAULT = "default_shipping_id"
_ADDRESSES = "say `update_addresses` to change addresses, `add_addresses` to add some"


class ModifyCustomerRequest(CustomerFields):
    """Arguments of `modify_customer`."""

    also = own_id("customer_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("addresses", "address", "shipping_address", "billing_address"), _ADDRESSES),
        "address_id": "give it in `update_addresses`, with what changes",
        "default_address_id": ("default_shipping_id",),
        "remove_addresses": ("delete_address_ids",),
        "delete_addresses": ("delete_address_ids",),
    }

    never_null: ClassVar[frozenset[str]] = frozenset(
        {"name", "currency", "add_addresses", "update_addresses", "delete_address_ids"}
    )

    customer_id: NameOrId
    """Id or exact name."""
    name: NewName | None = None
    """The new name."""
    add_addresses: Annotated[NewAddresses, Field(default_factory=list[NewAddress])]
    """New addresses; `default` is about shipping."""
    update_addresses: Annotated[ChangedAddresses, Field(default_factory=list[ChangedAddress])]
    """Lines to change, by `address_id`."""
    delete_address_ids: Annotated[list[RecordNumber], Field(max_length=50, default_factory=list[int])]
    """Addresses to delete."""
    default_shipping_id: RecordNumber | None = None
    """Which address becomes the default."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request would change.

    Attributes:
        head: fields of the customer, the default among them.
        updates: lines of addresses, by their ids.
        deletes: ids of addresses.
        adds: new addresses.
        chosen: the place of the one among these that is made the default by a request of its own.
    """

    head: Mapping[str, Json]
    updates: Mapping[int, Mapping[str, Json]]
    deletes: tuple[int, ...]
    adds: tuple[NewAddress, ...]
    chosen: int | None

    @property
    def is_nothing(self) -> bool:
        """Whether everything is like that already."""
        return not (self.head or self.updates or self.deletes or self.adds)


def wanted(request: ModifyCustomerRequest, facts: OldCustomer) -> Wanted:
    """Return what a request sets to something else than it is; ids that the customer does not have are left out."""
    known, record = facts.addresses, facts.record
    head = {name: value for name, value in request.head.items() if unlike(name, value, record)}
    if DEFAULT in request.model_fields_set and request.default_shipping_id != record.get(DEFAULT):
        head[DEFAULT] = request.default_shipping_id
    updates = {
        each.address_id: {name: value for name, value in each.given.items() if unlike(name, value, old)}
        for each in request.update_addresses
        if (old := known.get(each.address_id)) is not None
    }
    # A customer's first shipping address is the default by itself; one that comes behind it has to be chosen.
    kinds = [each.get("entity_type") for each in known.values()]
    chosen: int | None = None
    for nr, each in enumerate(request.add_addresses):
        if each.is_chosen and "shipping" in kinds:
            chosen = nr
        kinds.append(each.entity_type)
    return Wanted(
        head=head,
        updates={key: lines for key, lines in updates.items() if lines},
        deletes=tuple(each for each in dict.fromkeys(request.delete_address_ids) if each in known),
        adds=tuple(request.add_addresses),
        chosen=chosen,
    )


def checks(request: ModifyCustomerRequest, facts: OldCustomer) -> list[ToolWarning]:
    """Return what speaks against a change."""
    kept = [each for key, each in facts.addresses.items() if key not in request.delete_address_ids]
    warnings = [
        *gone(ENTITY, facts.name, facts.record, deleted=facts.deleted),
        *duplicates(request.name or "", facts.taken),
        *_misnamed(request, facts),
        *against_adding(request.add_addresses, "add_addresses", kept),
        *_chosen(request, facts),
        *_forsaken(request, facts),
    ]
    if not any(each.severity == "blocking" for each in warnings) and wanted(request, facts).is_nothing:
        told = f"customer {facts.name} is like that already: nothing would change"
        warnings.append(blocking(warning_codes.NO_EFFECTIVE_CHANGE, told))
    return warnings


def _misnamed(request: ModifyCustomerRequest, facts: OldCustomer) -> Iterator[ToolWarning]:
    """Yield what is wrong with the addresses that are to be changed or deleted."""
    changed = [
        (f"update_addresses[{nr}].address_id", each.address_id) for nr, each in enumerate(request.update_addresses)
    ]
    deleted = [(f"delete_address_ids[{nr}]", each) for nr, each in enumerate(request.delete_address_ids)]
    seen: set[int] = set()
    for path, key in (*changed, *deleted):
        if key not in facts.addresses:
            yield _unknown(path, key, facts)
        elif key in seen:
            told = f"{path}: address {key} is named twice: change it once, or delete it once"
            yield blocking(warning_codes.DUPLICATE_ROW, told, path)
        seen.add(key)


def _unknown(path: str, key: int, facts: OldCustomer) -> ToolWarning:
    has = ", ".join(map(str, facts.addresses)) or "none"
    told = f"{path}: customer {facts.name} has no address {key}; it has {has}"
    return blocking(warning_codes.UNKNOWN_ROW_ID, told, path)


def _chosen(request: ModifyCustomerRequest, facts: OldCustomer) -> Iterator[ToolWarning]:
    """Yield what is wrong with the address that is to be the default."""
    if DEFAULT not in request.model_fields_set:
        return
    key, code = request.default_shipping_id, warning_codes.INVALID_DEFAULT_ADDRESS
    address = facts.addresses.get(key) if key is not None else None
    if key is not None and address is None:
        yield _unknown(DEFAULT, key, facts)
    elif address is not None and address.get("entity_type") != "shipping":
        yield blocking(code, f"{DEFAULT}: address {key} is for billing, so it is no default for shipping", DEFAULT)
    elif key in request.delete_address_ids:
        yield blocking(code, f"{DEFAULT}: address {key} is to be deleted, so it is no default", DEFAULT)
    for nr, each in enumerate(request.add_addresses):
        if each.is_chosen:
            path, other = f"add_addresses[{nr}].default", "no address" if key is None else "another address"
            yield blocking(code, f"{path}: {DEFAULT} names {other} as the default", path)


def _forsaken(request: ModifyCustomerRequest, facts: OldCustomer) -> Iterator[ToolWarning]:
    """Yield that a default address would be deleted, and no other one is named or becomes it by being the first."""
    kept = {each.get("entity_type") for key, each in facts.addresses.items() if key not in request.delete_address_ids}
    first = {each.entity_type for each in request.add_addresses} - kept
    named = request.default_shipping_id is not None or any(each.is_chosen for each in request.add_addresses)
    replaced = {*first, *(["shipping"] if named else [])}
    for nr, key in enumerate(request.delete_address_ids):
        kind = facts.addresses.get(key, {}).get("entity_type")
        if key in facts.defaults and kind not in replaced:
            path = f"delete_address_ids[{nr}]"
            told = f"{path}: address {key} is the default for {kind}: Katana does not say which one is it afterwards"
            yield advisory(warning_codes.DEFAULT_ADDRESS_DELETED, told, path)
