"""Reference data as resources, whole and bounded; one record of each by its id."""

from dataclasses import dataclass

from cache_core.conditions import Order
from cache_core.protocol import Selection
from katana_mcp.references.resolve import resolved
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Envelope, plain
from katana_mcp.tools.hidden import escape_hidden_in
from katana_mcp.tools.outgoing import LONG_TEXT, MAX_ANSWER_BYTES, cut_in, json_of
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import id_in


@dataclass(frozen=True, slots=True)
class ReferenceResource:
    """A collection as a resource: its URI, its cache entity, the fields shown, and the URI of one record."""

    uri: str
    entity: str
    title: str
    fields: tuple[str, ...]
    template: str | None = None


REFERENCE: tuple[ReferenceResource, ...] = (
    ReferenceResource(
        "katana://suppliers",
        "supplier",
        "Suppliers",
        ("id", "name", "email", "phone", "currency", "comment"),
        "katana://supplier/{id}",
    ),
    ReferenceResource(
        "katana://locations",
        "location",
        "Locations",
        ("id", "name", "is_primary", "sales_allowed", "purchase_allowed", "manufacturing_allowed"),
        "katana://location/{id}",
    ),
    ReferenceResource(
        "katana://tax-rates",
        "tax_rate",
        "Tax rates, in percent",
        ("id", "display_name", "name", "rate", "is_default_sales", "is_default_purchases"),
        "katana://tax-rate/{id}",
    ),
    ReferenceResource("katana://operators", "operator", "Operators", ("id", "operator_name"), "katana://operator/{id}"),
    ReferenceResource(
        "katana://additional-costs",
        "additional_cost",
        "Additional costs that a purchase order can carry",
        ("id", "name"),
        "katana://additional-cost/{id}",
    ),
    ReferenceResource(
        "katana://custom-fields",
        "custom_field_definition",
        "Custom fields: what records carry besides their own",
        ("id", "label", "field_type", "entity_type", "description", "options"),
    ),
    ReferenceResource(
        "katana://factory",
        "factory",
        "The factory: base currency, default locations, closing date",
        (
            *("name", "legal_name", "base_currency_code", "timezone", "inventory_closing_date"),
            *("default_so_delivery_time", "default_po_lead_time", "default_sales_location_id"),
            *("default_purchases_location_id", "default_manufacturing_location_id", "legal_address"),
        ),
    ),
)


class Page(Envelope):
    """A reference collection as it is read."""

    rows: list[dict[str, object]]
    total: int | None = None
    """Left out while `warming`."""
    truncated: str | None = None


class One(Envelope):
    """One record of a reference collection, with everything that Katana says of it."""

    record: dict[str, object]


async def read_one(resource: ReferenceResource, record_id: str, services: Services) -> One:
    """Return one record of a reference collection, deleted or not.

    Raises:
        Refused: nothing has the id.
    """
    now = await current(services, (resource.entity,), (resource.entity,))
    key = id_in(record_id)
    with now.refusals():
        named = [] if key is None else [(resource.entity, key)]
        rows = [row for found in (await resolved(services, named)).values() for row in found]
        if not rows:
            message = f"nothing in {resource.uri} has the id {record_id[:40]!r}"
            raise Refused(blocking(warning_codes.NOT_FOUND, message, "id"))
    return now.answer(One, record=plain(rows[0].record))


async def read(resource: ReferenceResource, services: Services) -> Page:
    """Return the live records of a reference collection, as many as fit into one answer."""
    now = await current(services, (resource.entity,), (resource.entity,))
    total = await services.cache.count(resource.entity)
    stored = await services.cache.select(resource.entity, Selection(order=Order("id"), limit=1_000))
    rows: list[dict[str, object]] = []
    size = 500
    for row in stored:
        shown = {name: plain(value) for name in resource.fields if (value := row.record.get(name)) is not None}
        size += len(json_of(escape_hidden_in(cut_in(shown, LONG_TEXT))).encode()) + 1
        if size > MAX_ANSWER_BYTES and rows:
            break
        rows.append(shown)
    cut = f"{len(rows)} of {total}" if len(rows) < total else None
    rest = [f"{resource.template}: any other, by its id; a name completes to ids"] if cut and resource.template else []
    total_known = total if now.warming is None else None
    return now.answer(Page, rows=rows, total=total_known, truncated=cut, next_actions=rest)
