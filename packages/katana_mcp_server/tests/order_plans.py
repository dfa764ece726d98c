"""A purchase order with two rows and a cost to plan changes of, and what its requests and facts name."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.purchase_orders.pricing import Buying, buying
from katana_mcp.entities.purchase_orders.reading import BILLS
from katana_mcp.entities.purchase_orders.reading import COST as COST_ENTITY
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS
from katana_mcp.entities.purchase_orders.writes import WRITES
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.purchasable import PurchasableVariant
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.change import Draft

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ACME, BOLT = NamedRecord(id=3, name="Acme"), NamedRecord(id=4, name="Bolt")
NORTH, SOUTH = NamedRecord(id=1, name="North"), NamedRecord(id=2, name="South")
VAT, FREIGHT = NamedRecord(id=5, name="VAT"), NamedRecord(id=6, name="Freight")
FORK = NamedRecord(id=7, sku="FORK", name="Fork / 32", unit="pcs")
WHEEL = NamedRecord(id=8, sku="WHEEL", name="Wheel", unit="pcs")
LABOUR = NamedRecord(id=9, sku="LAB", name="Labour", unit="h")

ENTITIES = (
    *(("supplier", record) for record in (ACME, BOLT)),
    *(("location", record) for record in (NORTH, SOUTH)),
    *(("tax_rate", VAT), ("additional_cost", FREIGHT)),
)
MADE = replace(WHEEL, id=10, sku="MADE")
BOXED = PurchasableVariant(price=Decimal("2.50"), currency="EUR", unit="box", rate=Decimal(12))
ROUND = PurchasableVariant(unit="pcs")
NAMES = {
    (entity, asked): Named(asked, (record,))
    for entity, record in (*ENTITIES, *(("variant", record) for record in (FORK, WHEEL, LABOUR, MADE)))
    for asked in (record.id, record.called)
}
BUYING = Buying(
    goods={
        7: BOXED,
        8: ROUND,
        9: PurchasableVariant(price=Decimal(1), currency="EUR", unit="h", service=True),
        10: PurchasableVariant(price=Decimal(1), currency="EUR", bought=False),
    },
    default_tax=5,
    rates={5: Decimal(22)},
)
EARLY, LATE, LATER = "2026-03-09T00:00:00Z", "2026-03-20T00:00:00Z", "2026-04-01T00:00:00Z"
ROW: dict[str, Any] = {
    "id": 17,
    "purchase_order_id": 40,
    "variant_id": 7,
    "quantity": Decimal(2),
    "price_per_unit": Decimal("2.5"),
    "purchase_uom": "box",
    "purchase_uom_conversion_rate": Decimal(12),
    "tax_rate_id": 5,
    "location_id": 1,
    "arrival_date": EARLY,
    "received_date": None,
    "group_id": 60,
}
OTHER = (
    ROW
    | {"id": 18, "variant_id": 8, "quantity": Decimal(4), "purchase_uom": "pcs", "arrival_date": LATE}
    | {
        "purchase_uom_conversion_rate": Decimal(1),
        "location_id": 2,
    }
)
COST: dict[str, Any] = {
    "id": 70,
    "group_id": 60,
    "additional_cost_id": 6,
    "name": "Freight",
    "tax_rate_id": 5,
    "price": Decimal(10),
    "distribution_method": "BY_VALUE",
}
RECORD: dict[str, Any] = {
    "id": 40,
    "order_no": "PO-40",
    "status": "NOT_RECEIVED",
    "entity_type": "regular",
    "default_group_id": 60,
    "supplier_id": 3,
    "location_id": 1,
    "currency": "EUR",
    "expected_arrival_date": LATE,
    "order_created_date": "2026-03-01T00:00:00Z",
    "additional_info": "fragile",
    "purchase_order_rows": [ROW, OTHER],
}
FREE, NUMBERED = Numbered(number="PO-41"), ("number", "is_counted", "taken", "is_open")
FORKS: dict[str, Any] = {"sku_or_variant_id": "FORK", "quantity": 2, "price_per_unit": 2.5, "tax_rate_id": 5}
CHEAP_FORKS = FORKS | {"price_per_unit": 2}
"""A row to add."""
CAME = "2026-03-08T10:00:00.000Z"
"""When received rows came."""


def new_order(**changed: object) -> Request:
    """Return a request of a usual new order."""
    usual: dict[str, Any] = {
        "supplier_id": "Acme",
        "location_id": "North",
        "order_no": "PO-41",
        "rows": [FORKS],
    }
    return CREATE.request.model_validate(usual | changed)


def _facts(fields: dict[str, Any], usual: Facts) -> Facts:
    """Return facts in which some are others: of what is bought, of what belongs to the order, or of any document."""
    beside = {"costs": COST_ENTITY, "ingredients": INGREDIENTS, "bills": BILLS}
    own = {name: fields.pop(name) for name in ("goods", "default_tax", "rates", "supplier_currency") if name in fields}
    others = {beside[name]: fields.pop(name) for name in beside if name in fields}
    names = fields.pop("names", {})
    bought = {**BUYING.goods, **own.pop("goods", {})}
    return replace(
        usual,
        own=replace(buying(usual), goods=bought, **own),
        beside={**usual.beside, **others},
        references={**usual.references, **names},
        **fields,
    )


def new_facts(**changed: object) -> Facts:
    """Return what a new order depends on."""
    fields: dict[str, Any] = changed
    numbered = replace(FREE, **{name: fields.pop(name) for name in NUMBERED if name in fields})
    return _facts(fields, Facts(numbered=numbered, references=NAMES, own=replace(BUYING, supplier_currency="EUR")))


def change(**fields: object) -> Request:
    """Return a request of a change."""
    return MODIFY.request.model_validate({"purchase_order_id": 40, **fields})


def old(status: str = "NOT_RECEIVED", received: Iterable[int] | None = None, **changed: object) -> Facts:
    """Return the order with this status; of one that is received, all rows or those named have come."""
    came = set(received) if received is not None else {17, 18} if status == "RECEIVED" else set[int]()
    rows = [row | {"received_date": CAME if row["id"] in came else None} for row in (ROW, OTHER)]
    record = RECORD | {"status": status, "purchase_order_rows": rows} | changed
    return Facts(record=record, beside={COST_ENTITY: (COST,)}, references=NAMES, own=BUYING)


def knowing(facts: Facts | None = None, **fields: object) -> Facts:
    """Return facts of an order in which some are others."""
    return _facts({**fields}, facts or old())


def planned(facts: Facts | None = None, **fields: object) -> Draft:
    """Return the plan of a change."""
    return MODIFY.plan(change(**fields), facts or old())


def sent(draft: Draft) -> list[tuple[str, str, object]]:
    """Return method, path and body of each action."""
    return [(action.method, action.path, action.to_json()["body"]) for action in draft.actions]


def summaries(warnings: Iterable[ToolWarning]) -> list[tuple[str, str | None, str | None]]:
    """Return severity, code and field of each warning."""
    return [(warning.severity, warning.code, warning.field_path) for warning in warnings]


def against(facts: Facts | None = None, **fields: object) -> list[tuple[str, str | None, str | None]]:
    """Return what speaks against a change."""
    return summaries(MODIFY.checks(change(**fields), facts or old()))
