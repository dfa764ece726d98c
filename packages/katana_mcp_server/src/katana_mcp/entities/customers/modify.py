"""`modify_customer`: its head, its addresses by their ids, and which of them is the default for shipping."""

from collections.abc import Mapping
from dataclasses import replace

from cache_core.records import Json, canonical
from katana_client.resources.customer_addresses import CustomerAddressCreate, CustomerAddressUpdate
from katana_client.resources.customers import CustomerUpdate
from katana_mcp.entities.customers.addresses import LINES, PART, NewAddress, again
from katana_mcp.entities.customers.head import CALLED, COLLECTION, ENTITY, OldCustomer, changes, gather_old
from katana_mcp.entities.customers.wanted import DEFAULT, ModifyCustomerRequest, Wanted, checks, wanted
from katana_mcp.services import Services
from katana_mcp.values import NOTHING, whole
from katana_mcp.writing.actions import Action, IfApplied, Recognise, Ref, on_record
from katana_mcp.writing.change import Change, Draft, name_lane, record_lane
from katana_mcp.writing.preview import FieldChange, shown_value


async def _gather(request: ModifyCustomerRequest, services: Services) -> OldCustomer:
    return await gather_old(request.customer_id, request.name, services)


def plan(request: ModifyCustomerRequest, facts: OldCustomer) -> Draft:
    """Return the plan of a change: deletions before additions, because there is one billing address at most."""
    asked = wanted(request, facts)
    actions = [_head(asked.head, facts)] if asked.head else []
    actions += [_update(key, lines, facts) for key, lines in asked.updates.items()]
    deleted = {len(actions) + nr: key for nr, key in enumerate(asked.deletes)}
    actions += [_delete(key, facts) for key in asked.deletes]
    added = range(len(actions), len(actions) + len(asked.adds))
    actions += [_add(each, facts) for each in asked.adds]
    if asked.chosen is not None:
        actions.append(_choose(Ref(added[asked.chosen], "id"), facts))
    return Draft(
        summary=f"customer {facts.name}: {'; '.join(_told(asked, facts))}",
        actions=tuple(actions),
        touches={"record": facts.record, CALLED: list(facts.taken)},
        lanes=(record_lane(ENTITY, facts.id), *([] if request.name is None else [name_lane(ENTITY, request.name)])),
        id=facts.id,
        changes=tuple(_changes(asked, facts)),
        prior_state=facts.record,
        revert={"tool": "modify_customer", "arguments": _undoing(asked, facts, deleted, added)},
    )


def _head(head: Mapping[str, Json], facts: OldCustomer) -> Action:
    body = canonical(CustomerUpdate.model_validate(dict(head)).wire())
    return on_record(f"change customer {facts.name}", ENTITY, COLLECTION, facts.id, body)


def _choose(address: Ref, facts: OldCustomer) -> Action:
    title = f"make the new address the default of customer {facts.name}"
    return on_record(title, ENTITY, COLLECTION, facts.id, {DEFAULT: address})


def _update(key: int, lines: Mapping[str, Json], facts: OldCustomer) -> Action:
    body = canonical(CustomerAddressUpdate.model_validate(dict(lines)).wire())
    return _part(f"change address {key} of customer {facts.name}", key, body, facts)


def _delete(key: int, facts: OldCustomer) -> Action:
    return _part(f"delete address {key} of customer {facts.name}", key, None, facts)


def _part(title: str, key: int, body: dict[str, Json] | None, facts: OldCustomer) -> Action:
    return replace(on_record(title, ENTITY, PART, key, body), record=facts.id, part=PART, row=key)


def _add(address: NewAddress, facts: OldCustomer) -> Action:
    body: dict[str, Json] = {"customer_id": facts.id, **address.lines}
    return Action(
        title=f"add a {address.entity_type} address to customer {facts.name}",
        method="POST",
        path=f"/{PART}",
        body=canonical(CustomerAddressCreate.model_validate(body).wire()),
        entity=ENTITY,
        record=facts.id,
        part=PART,
        expects={**address.expected, "customer_id": facts.id},
        recognise=Recognise(
            collection=PART, filters={"customer_ids": [facts.id]}, besides=tuple(sorted(facts.addresses))
        ),
    )


def _told(asked: Wanted, facts: OldCustomer) -> list[str]:
    """Return each change in words, for who confirms it."""
    told = [_set(asked.head)] if asked.head else []
    told += [f"address {key} {_set(lines)}" for key, lines in asked.updates.items()]
    told += [f"delete address {key} ({_place(facts.addresses[key])})" for key in asked.deletes]
    told += [f"add {each.entity_type} address ({_place(each.lines)})" for each in asked.adds]
    return [*told, *([] if asked.chosen is None else ["the new address becomes the default"])]


def _set(fields: Mapping[str, Json]) -> str:
    return ", ".join(f"{name} {shown_value(value) or 'cleared'}" for name, value in fields.items())


def _place(lines: Mapping[str, object]) -> str:
    return ", ".join(str(lines[name]) for name in ("line_1", "zip", "city", "country") if lines.get(name))


def _changes(asked: Wanted, facts: OldCustomer) -> list[FieldChange]:
    told = [*changes("", asked.head, facts.record)]
    for key, lines in asked.updates.items():
        told += changes(f"addresses[{key}].", lines, facts.addresses[key])
    for key in asked.deletes:
        old = facts.addresses[key]
        told += changes(f"addresses[{key}].", {name: None for name in ("entity_type", *LINES) if old.get(name)}, old)
    for nr, each in enumerate(asked.adds):
        told += changes(f"add_addresses[{nr}].", each.lines, NOTHING)
    if asked.chosen is not None:
        old = shown_value(facts.record.get(DEFAULT))
        told.append(FieldChange(field=DEFAULT, old=old, new=f"add_addresses[{asked.chosen}]"))
    return told


def _undoing(asked: Wanted, facts: OldCustomer, deleted: Mapping[int, int], added: range) -> dict[str, object]:
    """Return the arguments that undo a change; an address that was deleted comes back with another id."""
    never = ModifyCustomerRequest.never_null
    before = {name: facts.record.get(name) for name in asked.head}
    head = {name: value for name, value in before.items() if value is not None or name not in never}
    was = whole(facts.record, DEFAULT)
    if DEFAULT in head or asked.chosen is not None:
        head[DEFAULT] = was
    if was is not None and was not in facts.addresses.keys() - asked.deletes:
        head.pop(DEFAULT, None)  # what comes back in its place says itself that it is the default
    back = again({key: facts.addresses[key] for key in asked.deletes}, was)
    slots: dict[str, list[object]] = {
        "update_addresses": [
            {"address_id": key, **{name: facts.addresses[key].get(name) for name in lines}}
            for key, lines in asked.updates.items()
        ],
        "delete_address_ids": [IfApplied(place, Ref(place, "id")) for place in added],
        "add_addresses": [IfApplied(place, back[key]) for place, key in deleted.items() if key in back],
    }
    return {"customer_id": facts.id, **head, **{name: each for name, each in slots.items() if each}}


MODIFY = Change(
    request=ModifyCustomerRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(ENTITY,),
    what="'s head or addresses",
)
