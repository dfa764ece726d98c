"""The rules of addresses: one for billing, many for shipping, one of these the default; a type never changes."""

from collections.abc import Iterator, Mapping

from cache_core.records import RecordId
from katana_client.resources.addresses import PERSON, PLACE
from katana_mcp.documents.declaration import Part
from katana_mcp.documents.states import added_parts, requested_ids
from katana_mcp.documents.transition import New, State, Transition
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, rows

ADDRESSES, DEFAULT = "addresses", "default_shipping_id"
LINES = (*PERSON, *PLACE)
"""Fields of an address that a request may set, under Katana's names."""
_WHAT_IT_IS = ("entity_type", *LINES)
_BY_TYPE = {"billing": "default_billing_id", "shipping": DEFAULT}
_WRONG_DEFAULT = warning_codes.INVALID_DEFAULT_ADDRESS


def settle(before: State | None, after: State) -> State:
    """Return a customer with the default that new addresses ask for.

    The one for billing always is its default, and the first for shipping by itself; one that comes behind it is chosen
    by a request of its own.
    """
    chosen: object = after.get(DEFAULT)
    kinds = [] if before is None else [row.get("entity_type") for row in rows(before, ADDRESSES)]
    settled: list[State] = []
    place = -1
    for row in rows(after, ADDRESSES):
        if "id" in row:
            settled.append(row)
            continue
        place += 1
        plain = {name: value for name, value in row.items() if name != "default"}
        is_chosen = bool(row.get("default")) and row.get("entity_type") == "shipping"
        settled.append({**plain, "default": True} if is_chosen else plain)
        if before is not None and is_chosen and "shipping" in kinds:
            chosen = New(ADDRESSES, place)
        kinds.append(row.get("entity_type"))
    return {**after, ADDRESSES: settled, **({DEFAULT: chosen} if DEFAULT in after or chosen is not None else {})}


def again(part: Part, addresses: Mapping[RecordId, State], customer: State) -> dict[RecordId, dict[str, object]]:
    """Return the arguments that add addresses as they were, by their ids: of those that are alike only the first."""
    del part
    lines = {key: {name: row[name] for name in _WHAT_IT_IS if row.get(name)} for key, row in addresses.items()}
    chosen, kept = lines.get(get_int(customer, DEFAULT) or 0), dict[RecordId, dict[str, object]]()
    for key, row in lines.items():
        if row not in kept.values():  # the same address twice would be refused
            kept[key] = row
    return {key: {**row, "default": True} if row == chosen else row for key, row in kept.items()}


def _remaining_addresses(change: Transition) -> list[State]:
    """Return the addresses that are there and stay."""
    return [row for row in rows(change.new, ADDRESSES) if "id" in row]


def _of_new(change: Transition) -> Iterator[ToolWarning]:
    """Yield what speaks against adding addresses to those that stay."""
    has_billing = any(row.get("entity_type") == "billing" for row in _remaining_addresses(change))
    has_default = False
    seen: list[State] = []
    for path, _, row in added_parts(change, ADDRESSES, ADDRESSES):
        is_billing = row.get("entity_type") == "billing"
        if is_billing and has_billing:
            message = f"{path}: a customer can have only one billing address: change or delete the existing one"
            yield blocking(warning_codes.SECOND_BILLING_ADDRESS, message, f"{path}.entity_type")
        if "default" in row and has_default:
            message = f"{path}: another address in this request is already the default shipping address"
            yield blocking(_WRONG_DEFAULT, message, f"{path}.default")
        lines = {name: row.get(name) for name in _WHAT_IT_IS}
        if lines in seen:
            yield blocking(warning_codes.DUPLICATE_ROW, f"{path}: the same address is added twice", path)
        has_billing, has_default = has_billing or is_billing, has_default or "default" in row
        seen.append(lines)


def _of_default(change: Transition) -> Iterator[ToolWarning]:
    """Yield what is wrong with the address that is named as the default."""
    if DEFAULT not in change.asked:
        return
    key = change.asked[DEFAULT]
    diff = change.parts[ADDRESSES]
    address = diff.before.get(key) if isinstance(key, int) else None
    if address is not None and address.get("entity_type") != "shipping":
        message = f"{DEFAULT}: address {key} is a billing address, so it cannot be the default for shipping"
        yield blocking(_WRONG_DEFAULT, message, DEFAULT)
    elif key in diff.deletes:
        yield blocking(
            _WRONG_DEFAULT, f"{DEFAULT}: address {key} is deleted here, so it cannot be the default", DEFAULT
        )
    for path, _, row in added_parts(change, ADDRESSES, ADDRESSES):
        if "default" in row:
            other = "no address" if key is None else "another address"
            message = f"{path}.default: {DEFAULT} names {other} as the default"
            yield blocking(_WRONG_DEFAULT, message, f"{path}.default")


def _of_deleted(change: Transition) -> Iterator[ToolWarning]:
    """Yield that a default goes, and no other one is named or becomes it by being the first."""
    added = change.sent[ADDRESSES].adds
    replaced = {row.get("entity_type") for row in added} - {
        row.get("entity_type") for row in _remaining_addresses(change)
    }
    if change.asked.get(DEFAULT) is not None or any("default" in row for row in added):
        replaced.add("shipping")
    for nr, key in enumerate(requested_ids(change.asked, "delete_address_ids")):
        kind = str(change.parts[ADDRESSES].before.get(key, {}).get("entity_type"))
        is_default = key in {change.old.get(field) for field in _BY_TYPE.values()}
        if is_default and kind not in replaced:
            path = f"delete_address_ids[{nr}]"
            message = (
                f"{path}: address {key} is the default for {kind}: which one becomes the default then is not known"
            )
            yield advisory(warning_codes.DEFAULT_ADDRESS_DELETED, message, path)


RULES = (_of_new, _of_default, _of_deleted)
