"""Additional costs of purchase orders, such as freight: how they are asked for, sent and shown."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict

from cache_core.records import Json, Record, canonical
from katana_client.resources.po_additional_cost_rows import (
    Distribution,
    PurchaseOrderAdditionalCostRowCreate,
    PurchaseOrderAdditionalCostRowUpdate,
)
from katana_mcp.entities.purchase_orders.facts import Directory
from katana_mcp.entities.purchase_orders.head import (
    COST,
    COSTS,
    Amount,
    PartChange,
    PartId,
    PartRequest,
    Reference,
    told_elsewhere,
)
from katana_mcp.names import text
from katana_mcp.operations.filters import spelling
from katana_mcp.tools import warning_codes
from katana_mcp.tools.argument_words import Offers
from katana_mcp.tools.requests import WriteRequest
from katana_mcp.tools.warnings import ToolWarning, blocking, info
from katana_mcp.values import number, whole
from katana_mcp.writing.actions import Action, Recognise, Ref, on_record
from katana_mcp.writing.preview import PlanLine

COST_NAMES = ("additional_cost_id", "tax_rate_id")
"""What of a cost names a record."""
FIELDS = (*COST_NAMES, "price", "distribution_method")
"""What of a cost may be written, under Katana's names."""


class _CostFields(WriteRequest):
    tax_rate_id: Reference | None = None
    """Id or name."""
    distribution_method: Annotated[Distribution | None, spelling(Distribution)] = None
    """How it spreads."""


class NewCost(_CostFields, PartRequest):
    """A cost to add, in the order's currency."""

    never_null: ClassVar[frozenset[str]] = frozenset(_CostFields.model_fields)

    additional_cost_id: Reference
    """Id or name."""
    price: Amount
    """Without tax."""


class AddedCost(NewCost):
    """A cost to add to an order that is there."""

    model_config = ConfigDict(json_schema_extra=told_elsewhere)


class CostChange(_CostFields, PartChange):
    """A cost to change; what is left out stays."""

    also: ClassVar[Offers] = {"row_id": ("additional_cost_row_id",)}

    never_null: ClassVar[frozenset[str]] = frozenset(FIELDS)

    additional_cost_row_id: PartId
    """Of the order."""
    additional_cost_id: Reference | None = None
    """Id or name."""
    price: Amount | None = None
    """Without tax."""


def cost_fields(cost: NewCost | CostChange, facts: Directory) -> dict[str, Json]:
    """Return what is set of a cost, under Katana's names; a new one has the tax rate of purchases by default."""
    found: dict[str, object] = {"price": cost.price, "distribution_method": cost.distribution_method}
    found |= facts.ids_in(COST_NAMES, cost)
    if isinstance(cost, NewCost) and cost.tax_rate_id is None:
        found["tax_rate_id"] = facts.default_tax
    return canonical({name: value for name, value in found.items() if value is not None})


def cost_checks(costs: Sequence[NewCost | CostChange], path: str, facts: Directory) -> list[ToolWarning]:
    """Return what speaks against what is set of costs; `path` is that of their list."""
    warnings: list[ToolWarning] = []
    for place, cost in enumerate(costs):
        here = f"{path}[{place}]"
        warnings += facts.unnamed_in(COST_NAMES, cost, f"{here}.")
        if isinstance(cost, NewCost) and cost.tax_rate_id is None:
            warnings.append(_taxed(facts, f"{here}.tax_rate_id"))
    return warnings


def _taxed(facts: Directory, path: str) -> ToolWarning:
    if facts.default_tax is None:
        told = f"{path}: Katana wants a tax rate for a cost, and the account has no default one of purchases; give one"
        return blocking(warning_codes.TAX_RATE_REQUIRED, told, path)
    told = f"{path}: the default tax rate of purchases was taken (id {facts.default_tax})"
    return info(warning_codes.DEFAULT_TAX_RATE, told, path)


def add_cost(fields: Record, group: int | Ref, title: str, besides: Sequence[int] = ()) -> Action | None:
    """Return what adds a cost to a group; None where something of it is not known."""
    if not {*COST_NAMES, "price"} <= set(fields):
        return None
    body = canonical(PurchaseOrderAdditionalCostRowCreate.model_validate({**fields, "group_id": 1}).wire())
    kind = body["additional_cost_id"]
    return Action(
        title=title,
        method="POST",
        path=f"/{COSTS}",
        body={**body, "group_id": group},
        entity=COST,
        expects={**body, "group_id": group},
        recognise=Recognise(
            collection=COSTS, filters={"group_id": group, "additional_cost_id": kind}, besides=tuple(besides)
        ),
    )


def added_cost(fields: Record, facts: Directory) -> str:
    """Return the title of a new cost."""
    return f"add additional cost {facts.called('additional_cost', fields.get('additional_cost_id'))}"


def change_cost(cost: Record, fields: Record, title: str) -> Action:
    """Return what changes a cost, or deletes it where there are no fields."""
    body = canonical(PurchaseOrderAdditionalCostRowUpdate.model_validate(fields).wire()) if fields else None
    return on_record(title, COST, COSTS, whole(cost, "id") or 0, body)


def cost_line(fields: Record, facts: Directory, change: Literal["add", "update", "delete"] | None = None) -> PlanLine:
    """Return a cost as a plan shows it, among the rows."""
    called = facts.called("additional_cost", fields.get("additional_cost_id")) or text(fields, "name") or ""
    price = number(fields, "price")
    return PlanLine(
        row_id=whole(fields, "id"),
        change=change,
        name=f"additional cost {called}".strip(),
        price=price,
        total=price,
        tax_rate=facts.tax_rate(fields),
    )
