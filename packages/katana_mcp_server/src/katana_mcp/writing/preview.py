"""The answer of a tool that plans a write: what would change, line by line, and the exact requests."""

import json
from typing import Literal

from cache_core.records import encode
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.days import Days, is_moment
from katana_mcp.writing.actions import Action


class NearVariant(Answer):
    """A variant that a row may mean, and what of it the row says, if anything."""

    variant_id: int
    sku: str | None = None
    name: str | None = None
    by: str | None = None


class PlanLine(Answer):
    """A line of a document as it would be."""

    row_id: int | str | None = None
    change: Literal["add", "update", "delete"] | None = None
    variant_id: int | None = None
    sku: str | None = None
    is_shared: bool | None = None
    """Whether other variants have this SKU too."""
    name: str | None = None
    match: str | list[NearVariant] | None = None
    """How the variant was found: `SKU`, `barcode`; if uncertain, variants that may be meant."""
    quantity: Number | None = None
    unit: str | None = None
    price: Number | None = None
    total: Number | None = None
    """Without tax."""
    tax_rate: Number | None = None
    location: str | None = None


class FieldChange(Answer):
    """A field that would change; a side without a value is empty."""

    field: str
    old: str | None = None
    new: str | None = None


class PlannedRequest(Answer):
    """A request, exactly as it would be sent."""

    title: str
    method: Literal["POST", "PATCH", "DELETE"]
    path: str
    body: str | None = None

    @classmethod
    def of(cls, action: Action) -> "PlannedRequest":
        """Return an action as it is shown."""
        payload = action.to_json()
        body = None if payload["body"] is None else encode({"body": payload["body"]}).decode()[8:-1]
        return cls(title=action.title, method=action.method, path=action.shown_path, body=body)


class Preview(Envelope):
    """The answer of a tool that plans a write."""

    is_preview: Literal[True] = True
    message: str
    id: int | str | None = None
    number: str | None = None
    status: str | None = None
    stock: list[str] | None = None
    lines: list[PlanLine] | None = None
    total: Number | None = None
    """Of the rows, with tax."""
    net_total: Number | None = None
    currency: str | None = None
    changes: list[FieldChange] | None = None
    linked: list[str] | None = None
    requests: list[PlannedRequest]
    plan_token: str | None = None
    expires_at: str | None = None


def value_in_words(value: object) -> str | None:
    """Return a value of a record in words: texts as they are, everything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(json.loads(encode({"value": value}))["value"], ensure_ascii=False)


def field_in_words(name: str, value: object, days: Days) -> str | None:
    """Return the value of a field in words, a moment as people of the factory say it."""
    text = value_in_words(value)
    return days.in_words(text) if text is not None and is_moment(name) else text
