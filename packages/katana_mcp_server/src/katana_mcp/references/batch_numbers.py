"""Batches by their number: those that Katana lists, and those that were made from here.

Katana lists no batch that never had stock: of those the journal tells. Refuses a number that batches of several items
have, where the row does not say which item is meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from cache_core.records import Record
from katana_client import Priority
from katana_mcp.journal.errors import JournalError
from katana_mcp.references.display_names import VARIANT_ENTITIES, look_up, text
from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.references.resolve import one_record
from katana_mcp.references.services import Services, current
from katana_mcp.references.suggestions import named_by
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import MAX_ID, Request
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import EMPTY, get_int, id_in, rows

_PLANS = 500
"""Plans of the journal, the newest, in which batches are looked for."""
_NAMED = 10
_VARIANT, _CHANGED = "variant", "/batch_stocks/"


async def made_batches(services: Services) -> list[Record]:
    """Return the batches that were made from here, as they were changed since.

    One has no `batch_id` where no answer told it, or whether there is one. None are known where the journal is no use.
    """
    try:
        entries = await services.journal.entries(_PLANS, tenant=services.tenant)
    except JournalError:
        return []
    made: dict[object, dict[str, object]] = {}
    for entry in reversed(entries):
        for place, (sent, ended) in enumerate(zip(entry.plan.actions, entry.actions, strict=True)):
            body, path = cast("Mapping[str, object]", sent.get("body") or {}), str(sent.get("path"))
            if path == "/batches" and ended.state in {"applied", "sending", "unknown"}:
                key = get_int(ended.result or {}, "id")
                made[(entry.id, place) if key is None else key] = {"batch_id": key, **body}
            elif path.startswith(_CHANGED) and ended.state == "applied":
                made.get(int(path.removeprefix(_CHANGED)), {}).update(body)
    return list(made.values())


class _Place(NamedTuple):
    """Where a request names a batch by its number."""

    path: str
    entry: dict[str, object]
    inside: Sequence[Mapping[str, object]]

    @property
    def number(self) -> str:
        return str(self.entry["batch_id"])


async def with_batch_ids[R: Request](request: R, services: Services) -> R:
    """Return a request with the ids of the batches that it names by their numbers.

    Raises:
        Refused: nothing has a number, batches of several items have it, or Katana does not say.
    """
    asked = request.model_dump(mode="json", exclude_unset=True)
    places = list(_places(asked, "", ()))
    if not places:
        return request
    with services.client.priority(Priority.WRITE):
        made, numbers = await made_batches(services), dict.fromkeys(place.number for place in places)
        having = {number: await _having(number, made, services) for number in numbers}
        for place in places:
            place.entry["batch_id"] = await _meant(place, having[place.number], asked, services)
    return type(request).model_validate(asked)


def _places(value: object, path: str, inside: Sequence[Mapping[str, object]]) -> Iterator[_Place]:
    if isinstance(value, list):
        for nr, entry in enumerate(cast("list[object]", value)):
            yield from _places(entry, f"{path}[{nr}]", inside)
    elif isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        for name, field in fields.items():
            own = f"{path}.{name}".lstrip(".")
            if name == "batch_id" and isinstance(field, str):
                yield _Place(own, fields, (fields, *inside))
            else:
                yield from _places(field, own, (fields, *inside))


async def _having(number: str, made: Sequence[Record], services: Services) -> list[Record]:
    """Return the batches that have a number, or the id that it is written like; `made` are those made from here."""
    pages = services.client.batch_stocks.pages(batch_number=number, include_empty=True)
    listed = (await LiveRead.begin(services).ask("batches", read_rows([pages]))).rows
    known = {get_int(row, "batch_id"): row for row in (*made, *listed)}
    known.pop(None, None)
    return named_by(number, known.values(), lambda row: get_int(row, "batch_id"), lambda row: text(row, "batch_number"))


async def _meant(place: _Place, having: Sequence[Record], asked: Mapping[str, object], services: Services) -> int:
    if not having and (known := id_in(place.number)) is not None and 0 < known <= MAX_ID:
        return known
    if len(having) > 1:
        goods = await _goods(place, asked, services)
        having = [row for row in having if row.get("variant_id") == goods] or having
    keys = [key for row in having if (key := get_int(row, "batch_id")) is not None]
    if len(keys) == 1:
        return keys[0]
    if keys:
        names = await look_up(services.cache, {_VARIANT: [row.get("variant_id") for row in having]})
        shown = [f"{row['batch_id']} (of {names.sku(row.get('variant_id'))})" for row in having[:_NAMED]]
        message = f"{place.path}: {len(keys)} batches are called {place.number!r}; give the id: {', '.join(shown)}"
        raise Refused(blocking(warning_codes.AMBIGUOUS_NAME, message, place.path))
    message = (
        f"{place.path}: Katana lists no batch {place.number!r}, and none was made from here: give the id of one that "
        "never had stock, or make it with `modify_traceability`"
    )
    raise Refused(blocking(warning_codes.NOT_FOUND, message, place.path))


async def _goods(place: _Place, asked: Mapping[str, object], services: Services) -> int | None:
    """Return the variant of the row that names a batch, as far as the row or its document tells."""
    await current(services, VARIANT_ENTITIES, ())
    row = {name: value for fields in reversed(place.inside) for name, value in fields.items()}
    named, line = row.get("sku_or_variant_id"), row.get("row_id")
    if line is None and isinstance(named, int | str):
        return get_int((await one_record(services, _VARIANT, named, "SKU")).record, "id")
    for name, value in asked.items():
        entity = name.removesuffix("_id")
        if entity in services.syncer.specs and isinstance(value, int | str):
            document = (await one_record(services, entity, value, "number")).record
            held = (part for field in document for part in rows(document, field) if part.get("id") == line)
            return get_int(document if line is None else next(held, EMPTY), "variant_id")
    return None
