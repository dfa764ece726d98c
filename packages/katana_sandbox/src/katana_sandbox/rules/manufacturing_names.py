"""Operations, resources and operators by id or by name; an unknown operation or resource is created by its name."""

from collections.abc import Mapping
from typing import Literal, cast

from katana_sandbox.descriptor import Context
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable

type Kind = Literal["operation", "resource"]


def resolve_names(ctx: Context, body: Mapping[str, object]) -> Record:
    """The id and name members that follow from those given in a body; the id wins over the name."""
    found: Record = {}
    kind: Kind
    for kind in ("operation", "resource"):
        key, name = body.get(f"{kind}_id"), body.get(f"{kind}_name")
        if key is None and name is None:
            if f"{kind}_id" in body or f"{kind}_name" in body:
                found |= {f"{kind}_id": None, f"{kind}_name": None}
            continue
        record = _by_id(ctx, kind, key) if key is not None else name_record(ctx, kind, str(name))
        found |= {f"{kind}_id": record["id"], f"{kind}_name": record["name"]}
    return found


def name_record(ctx: Context, kind: Kind, name: str) -> Record:
    """The operation or resource of a name, made when there is none."""
    same = ctx.children(f"{kind}s", "name", name)
    return same[0] if same else ctx.insert(f"{kind}s", {"name": name})


def resolve_operators(ctx: Context, given: object) -> list[Record]:
    """Assigned operators in read form, from ids or existing names.

    Raises:
        Refused: 422 for an operator that does not exist.
    """
    by_name = {operator["operator_name"]: operator for operator in _operators(ctx)}
    shown: list[Record] = []
    for entry in cast("list[Record]", given or []):
        key = entry.get("operator_id")
        operator = ctx.get("operators", key) if key is not None else by_name.get(entry.get("name"))
        if operator is None:
            raise unprocessable("operator not found")
        shown.append({"operator_id": operator["id"], "name": operator["operator_name"], "deleted_at": None})
    return shown


def _operators(ctx: Context) -> list[Record]:
    store = ctx.db.stores["operators"]
    return [store.record(slot) for slot in store.visible]


def _by_id(ctx: Context, kind: Kind, key: object) -> Record:
    record = ctx.get(f"{kind}s", key)
    if record is None:
        raise unprocessable(f"{kind} not found")
    return record
