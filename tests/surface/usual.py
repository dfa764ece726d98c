"""How a tool is called in tests over all tools, and which records there are to call it with."""

from dataclasses import dataclass, field
from typing import Any

from katana_sandbox import Tenant

type Changes = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Usual:
    """How a tool is called here.

    Attributes:
        arguments: with what.
        changes: for each parameter, arguments whose answer must differ from the usual one.
    """

    arguments: dict[str, object]
    changes: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])


def live_records(tenant: Tenant, collection: str) -> list[dict[str, Any]]:
    """Return the live records, oldest first."""
    return sorted(
        (record for record in tenant.all(collection) if record["deleted_at"] is None), key=lambda record: record["id"]
    )


def changed_each(**changed: object) -> Changes:
    """Return a change for each of these arguments."""
    return {name: {name: value} for name, value in changed.items()}


def list_changes(records: list[dict[str, Any]], dates: tuple[str, ...], **filters: object) -> Changes:
    """Return the changes of a list: its window, the moments named, and its own filters."""
    middle = sorted(record["created_at"] for record in records)[len(records) // 2]
    moments = {f"{name}_{end}": middle for name in ("created", "updated", *dates) for end in ("from", "to")}
    window: dict[str, object] = {"ids": [records[-1]["id"]], "limit": 3, "page": 2, "include_deleted": True}
    return changed_each(**window, **moments, **filters)


def lasting(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without its plan tokens, which are others each time."""
    if any("plan_token" in order for order in answer.get("orders", ())):
        orders = [{name: value for name, value in order.items() if name != "plan_token"} for order in answer["orders"]]
        return {name: value for name, value in answer.items() if name != "next_actions"} | {"orders": orders}
    if "plan_token" not in answer:
        return answer
    return {name: value for name, value in answer.items() if name not in {"plan_token", "next_actions"}}
