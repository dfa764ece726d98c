"""POST of a new record."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.custom_fields import check_custom_fields
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.unique import check_unique
from katana_sandbox.render import render_key
from katana_sandbox.wire.body_forms import form
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.schema import check, stored_form


def run(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Create and answer with the record."""
    record = create(ctx, collection, call.body())
    return created(render_key(ctx, collection.name, record["id"], "reply"))


def created(raw: bytes | None) -> Reply:
    """The reply to a create; the status is 200, not 201."""
    return Reply(200, raw or b"{}")


def create(ctx: Context, collection: Collection, body: object) -> Record:
    """Check the shape, then what it refers to, then the collection's own rule, then store."""
    given = checked(f"POST {collection.path}", body)
    check_references(ctx, collection, given)
    check_unique(ctx, collection, given)
    check_custom_fields(ctx, collection, given)
    if collection.on_create is not None:
        return collection.on_create(ctx, given)
    return ctx.insert(collection.name, build(collection, given))


def checked(operation: str, body: object) -> Record:
    """The body as a record once it fits what the operation takes, with date-times as they are stored."""
    fitting = form(operation)
    check(fitting, body)
    return cast("Record", stored_form(fitting, body))


def build(collection: Collection, body: Record) -> Record:
    """The stored fields of a new record: the body's values in stored form, defaults for the rest."""
    record: Record = {}
    for item in collection.fields:
        value = body.get(item.name, item.default)
        record[item.name] = item.store(value) if item.store is not None and item.name in body else value
    return record


def stored(collection: Collection, body: Record) -> Record:
    """The body's values in stored form."""
    forms = {item.name: item.store for item in collection.fields}
    changes: Record = {}
    for name, value in body.items():
        form = forms.get(name)
        changes[name] = value if form is None else form(value)
    return changes


def check_references(ctx: Context, collection: Collection, body: Record) -> None:
    """Refuse a foreign key that leads nowhere; archived records will do."""
    for name, target in collection.references.items():
        key = body.get(name)
        if key is None:
            continue
        found = ctx.variant(key) if target == "variants" else ctx.get(target, key)
        if found is None:
            raise unprocessable(f"{ctx.collections[target].noun} not found")
