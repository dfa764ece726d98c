"""`delete_customer`: the whole customer, as it is now, and which open orders are left behind."""

from dataclasses import dataclass

from cache_core.conditions import NoneOf, OneOf, Order
from cache_core.protocol import Selection
from cache_core.records import Record
from katana_mcp.entities.customers.addresses import LINES, again
from katana_mcp.entities.customers.head import COLLECTION, ENTITY, HEAD, OldCustomer, changes, gather_old
from katana_mcp.entities.customers.wanted import DEFAULT
from katana_mcp.lookup import all_listed, gone
from katana_mcp.names import text
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import NameOrId, Request, own_id
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import whole
from katana_mcp.writing.actions import on_record
from katana_mcp.writing.change import Change, Draft, record_lane

_SHOWN = 5


class DeleteCustomerRequest(Request):
    """Arguments of `delete_customer`."""

    also = own_id("customer_id")

    customer_id: NameOrId
    """Id or exact name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavingCustomer:
    """A customer, how many of its sales orders are open, and the newest of these; `is_counted` if all are known."""

    old: OldCustomer
    open_orders: int = 0
    newest: tuple[Record, ...] = ()
    is_counted: bool = True


async def _gather(request: DeleteCustomerRequest, services: Services) -> LeavingCustomer:
    old = await gather_old(request.customer_id, None, services)
    await current(services, ("sales_order",), ())
    still_open = (OneOf("customer_id", (old.id,)), NoneOf("status", ("DELIVERED",)))
    newest = await services.cache.select("sales_order", Selection(still_open, Order("id", descending=True), _SHOWN))
    return LeavingCustomer(
        old=old,
        open_orders=await services.cache.count("sales_order", still_open),
        newest=tuple(each.record for each in newest),
        is_counted=await all_listed(services, "sales_order"),
    )


def checks(request: DeleteCustomerRequest, facts: LeavingCustomer) -> list[ToolWarning]:
    """Return what speaks against deleting a customer."""
    del request
    old = facts.old
    warnings = gone(ENTITY, old.name, old.record, deleted=old.deleted)
    if facts.open_orders:
        # By their ids: a number is a text that somebody wrote; `linked` has those.
        ids = ", ".join(str(each.get("id")) for each in facts.newest)
        more = " and more" if facts.open_orders > len(facts.newest) else ""
        told = f"customer {old.id} has {facts.open_orders} open sales orders: ids {ids}{more}"
        warnings.append(advisory(warning_codes.OPEN_ORDERS, told))
    if not facts.is_counted:
        told = "the first sync of sales orders is not finished: there may be open ones that are not known yet"
        warnings.append(advisory(warning_codes.COLD_CACHE, told))
    return warnings


def plan(request: DeleteCustomerRequest, facts: LeavingCustomer) -> Draft:
    """Return the plan of a deletion."""
    del request
    old = facts.old
    record, addresses = old.record, old.addresses
    held = {name: record[name] for name in HEAD if record.get(name) not in {None, ""}}
    places = list(again(addresses, whole(record, DEFAULT)).values())
    told = [*changes("", dict.fromkeys(held), record)]
    for key, each in addresses.items():
        told += changes(f"addresses[{key}].", {name: None for name in ("entity_type", *LINES) if each.get(name)}, each)
    more = facts.open_orders - len(facts.newest)
    return Draft(
        summary=f"delete customer {old.name} (addresses: {len(addresses)}, open sales orders: {facts.open_orders})",
        actions=(on_record(f"delete customer {old.name}", ENTITY, COLLECTION, old.id),),
        touches={"record": record, "open_orders": [facts.open_orders, *(_number(each) for each in facts.newest)]},
        lanes=(record_lane(ENTITY, old.id),),
        id=old.id,
        changes=tuple(told),
        linked=(
            *(f"sales order {_number(each)} ({text(each, 'status')})" for each in facts.newest),
            *([f"{more} more open sales orders"] if more > 0 else []),
        ),
        prior_state=record,
        revert={"tool": "create_customer", "arguments": {**held, "addresses": places}},
    )


def _number(order: Record) -> str:
    return text(order, "order_no") or str(order.get("id"))


DELETE = Change(
    request=DeleteCustomerRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(ENTITY, "sales_order"),
    what=" with its addresses",
)
