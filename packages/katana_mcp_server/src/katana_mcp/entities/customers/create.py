"""`create_customer`: everything in one request; recognised by its name and all that it is to hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from cache_core.records import Json, canonical
from katana_client.resources.customers import CustomerCreate
from katana_mcp.entities.customers.addresses import NewAddress, NewAddresses, against_adding
from katana_mcp.entities.customers.head import (
    CALLED,
    COLLECTION,
    ENTITY,
    HEAD,
    TEXTS,
    CustomerFields,
    changes,
    duplicates,
    ever_called,
)
from katana_mcp.lookup import live_with_key
from katana_mcp.services import Services, current
from katana_mcp.tools.requests import NewName
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.values import NOTHING
from katana_mcp.writing.actions import Action, Recognise, Ref
from katana_mcp.writing.change import Change, Draft, name_lane


class CreateCustomerRequest(CustomerFields):
    """Arguments of `create_customer`."""

    never_null: ClassVar[frozenset[str]] = frozenset((*HEAD, "addresses"))

    name: NewName
    """The name; need not be unique."""
    addresses: Annotated[NewAddresses, Field(default_factory=list[NewAddress])]
    """One for billing, many for shipping; the first of a type is the default unless another says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCustomer:
    """What a new customer depends on; `taken` are those that have its name, `known` those and deleted ones."""

    now: datetime
    taken: tuple[int, ...] = ()
    known: tuple[int, ...] = ()


async def _gather(request: CreateCustomerRequest, services: Services) -> NewCustomer:
    await current(services, (ENTITY,), ())
    taken = await live_with_key(services, ENTITY, request.name)
    known = await ever_called(request.name, services)
    return NewCustomer(now=services.clock.now(), taken=taken, known=tuple(sorted({*taken, *known})))


def checks(request: CreateCustomerRequest, facts: NewCustomer) -> list[ToolWarning]:
    """Return what speaks against a new customer."""
    return [*duplicates(request.name, facts.taken), *against_adding(request.addresses, "addresses")]


def plan(request: CreateCustomerRequest, facts: NewCustomer) -> Draft:
    """Return the plan of a new customer."""
    given = {name: each for name, each in request.head.items() if each is not None}
    places = [_body(each) for each in request.addresses]
    body = CustomerCreate.model_validate({**given, **({"addresses": places} if places else {})})
    wire = canonical(body.wire())
    action = Action(
        title=f"create customer {request.name}",
        method="POST",
        path=f"/{COLLECTION}",
        body=wire,
        entity=ENTITY,
        expects=_expected(request, wire),
        recognise=Recognise(collection=COLLECTION, filters={"name": request.name}, besides=facts.known),
    )
    told = [*changes("", {name: wire[name] for name in given}, NOTHING)]
    for nr, each in enumerate(places):
        told += changes(f"addresses[{nr}].", each, NOTHING)
    return Draft(
        summary=f"new customer {request.name} (addresses: {len(places)})",
        actions=(action,),
        touches={CALLED: list(facts.known)},
        lanes=(name_lane(ENTITY, request.name),),
        changes=tuple(told),
        revert={"tool": "delete_customer", "arguments": {"customer_id": Ref(0, "id")}},
    )


def _body(address: NewAddress) -> dict[str, Json]:
    chosen: dict[str, Json] = {"default": True} if address.is_chosen else {}
    return {**address.lines, **chosen}


def _expected(request: CreateCustomerRequest, wire: Mapping[str, Json]) -> dict[str, Json]:
    """Return all that Katana holds afterwards: a customer of the same name that holds more is another one."""
    empty = dict.fromkeys(name for name in TEXTS if name != "currency")
    chosen = [{"default": True} if each.is_chosen else {} for each in request.addresses]
    places = [each.expected | more for each, more in zip(request.addresses, chosen, strict=True)]
    return canonical({**empty, **wire, "addresses": places})


CREATE = Change(
    request=CreateCustomerRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(ENTITY,),
    what=" with addresses",
)
