"""Lists of a small account: goods of two types, and suppliers."""

from typing import Annotated

import pytest
from small_account import AS_OF, Account

from cache_core.protocol import Stored
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Entity, ToolSpec, View
from katana_mcp.surface.operations.filters import exactly
from katana_mcp.surface.operations.list import list_tool
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.requests import ListRequest
from katana_mcp.tools.warnings import Refused


class Row(Answer):
    """What is shown of a record."""

    id: int | None = None
    name: str | None = None
    made: str | None = None


class Long(Row):
    """The same with more."""

    category_name: str | None = None


class Plain(ListRequest):
    """Filters of every list here."""

    name: Annotated[str | None, exactly("name")] = None


class Asked(Plain):
    """Filters of goods."""

    order_by: str | None = None
    include_rows: bool = False
    rows_only: bool = False
    include_archived: bool = False
    category: Annotated[str | None, exactly("category_name")] = None


def made(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return a field that the record does not have."""
    assert services.tenant == "factory"
    return {"made": names.name("supplier", stored.record.get("default_supplier_id"))}


def view(model: type[Answer] = Row, reads: frozenset[str] | None = None) -> View:
    """Return how rows look."""
    return View(model=model, computed_fields=made, names={"supplier": ("default_supplier_id",)}, reads=reads)


GOODS = Entity(
    name="item",
    plural="items",
    toolset="catalog",
    sources=("product", "material"),
    reads=("location",),
    searched=(),
    summary=view(),
    expanded=view(Long),
    list_request=Asked,
    notes={"list": "A note."},
)
SUPPLIERS = Entity(
    name="supplier",
    plural="suppliers",
    toolset="purchasing",
    sources=("supplier",),
    searched=(),
    summary=view(reads=frozenset(("default_supplier_id",))),
    list_request=Asked,
)


def good(record_id: int, name: str, created: str | None = None, **further: object) -> dict[str, object]:
    """Return a record."""
    return {"id": record_id, "name": name, "created_at": created, **further}


def tool_of(entity: Entity) -> ToolSpec[ListRequest]:
    """Return the tool that lists an entity."""
    tool = list_tool(entity)
    assert tool is not None
    return tool


async def listed(account: Account, entity: Entity = GOODS, **asked: object) -> dict[str, object]:
    """Return what a list answers, its rows by their names, without how current they are."""
    tool = tool_of(entity)
    answer = await tool.run(tool.request.model_validate(asked), account.services)
    payload = answer.model_dump(mode="json", exclude_none=True)
    assert payload.pop("as_of", AS_OF) == AS_OF
    payload["warnings"] = [warning["message"] for warning in payload["warnings"]]
    payload["rows"] = [row.get("name") for row in payload["rows"]]
    return payload


async def refusal(account: Account, entity: Entity = GOODS, **asked: object) -> tuple[str | None, str, str | None]:
    """Return code, sentence and argument of a refusal."""
    with pytest.raises(Refused) as refused:
        await listed(account, entity, **asked)
    (warning,) = refused.value.warnings
    return warning.code, warning.message, warning.field_path


def page(rows: list[str], total: int, number: int = 1, limit: int = 25, **further: object) -> dict[str, object]:
    """Return a page of rows."""
    usual: dict[str, object] = {"warnings": [], "next_actions": [], "has_more": False}
    return {**usual, "rows": rows, "total": total, "page": number, "limit": limit, **further}


async def shop(*, warming: bool = False) -> Account:
    """Return an account of six goods of two types and of six suppliers."""
    account = Account()
    months = {month: f"2026-0{month}-01T00:00:00.000Z" for month in range(1, 7)}
    await account.keep("supplier", *[good(number, f"Supplier {number}") for number in range(1, 7)])
    await account.keep("product", *[good(number, f"P{number}", months[number]) for number in (1, 3, 5)])
    await account.keep("material", *[good(10 + number, f"M{number}", months[number]) for number in (2, 4, 6)])
    if warming:
        account.warming("product")
    return account
