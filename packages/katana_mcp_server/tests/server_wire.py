"""What the sandbox holds, read past the server: the truth that answers and lists are compared with."""

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, cast

from katana_mcp.testing import Stage, payload_of, text_of
from katana_sandbox import EditBody, Tenant

type Wire = dict[str, Any]
type Keeps = Callable[[Wire], bool]
"""Whether a filter keeps a record."""
type Filtered = tuple[dict[str, Any], Keeps]
"""Filters of a list, and which records they keep."""


def live(tenant: Tenant, collection: str) -> list[Wire]:
    """Return the records that are neither deleted nor archived, nor belong to one that is, oldest first."""
    shown = [
        record for record in tenant.all(collection) if not record.get("deleted_at") and not record.get("archived_at")
    ]
    if collection != "variants":
        return shown
    items = {("product_id", product["id"]) for product in live(tenant, "products")}
    items |= {("material_id", material["id"]) for material in live(tenant, "materials")}
    return [record for record in shown if {(name, record[name]) for name in ("product_id", "material_id")} & items]


async def assert_filtered(stage: Stage, collection: str, documents: Sequence[Wire], asked: Sequence[Filtered]) -> None:
    """Assert that a list with each of these filters shows exactly the documents that it keeps, newest first."""
    for filters, keeps in asked:
        expected = sorted((document["id"] for document in documents if keeps(document)), reverse=True)
        assert len(expected) < len(documents) or not filters, f"{filters} keeps everything"
        answer = await stage.call(f"list_{collection}", limit=100, **filters)
        shown = [row[f"{collection[:-1]}_id"] for row in answer["rows"]]
        assert shown == expected, (filters, shown, expected)
        assert answer["total"] == len(expected) > 0, (filters, answer["total"])


async def rows_of_cut_pages(
    stage: Stage, tool: str, limit: int, page: int = 1, **asked: object
) -> tuple[list[Wire], int]:
    """Return the rows from a page on, each asked for by the next number, and the total; all fit, some were cut."""
    seen: list[Wire] = []
    cut = False
    while True:
        result = await stage.result(tool, {**asked, "limit": limit, "page": page})
        answer = payload_of(result)
        assert len(text_of(result).encode()) <= 40_000, answer
        seen += answer["rows"]
        if not answer["has_more"]:
            break
        cut = cut or len(answer["rows"]) < limit
        page += 1
        assert answer["next_actions"][0] == f"{tool}(..., limit={limit}, page={page})"
    assert cut
    return seen, answer["total"]


def unique_sku(tenant: Tenant, variant: Wire) -> bool:
    """Return whether no other variant, of any state, has this one's SKU."""
    return _skus(tenant, tenant.db.stores["variants"].version)[variant["sku"]] == 1


@lru_cache(maxsize=1)
def _skus(tenant: Tenant, _version: int) -> Counter[str | None]:
    """Return how many variants have each SKU, counted anew when a variant was changed."""
    return Counter(variant["sku"] for variant in tenant.all("variants"))


def records(body: object) -> list[Wire]:
    """Return the records of a page that Katana sends, to be edited."""
    return cast("dict[str, list[Wire]]", body)["data"]


def deleted_within(name: str, row_id: int) -> EditBody:
    """Return an edit of pages that marks the part with this id, in the list with this name, as deleted."""

    def edit(body: object) -> object:
        for part in (row for record in records(body) for row in record[name] if row["id"] == row_id):
            part["deleted_at"] = part["updated_at"] = "2026-03-02T08:00:00.000Z"
        return body

    return EditBody(edit)


def amount(value: object) -> Decimal:
    """Return an amount of the wire or of an answer, number or text."""
    return Decimal(str(value))
