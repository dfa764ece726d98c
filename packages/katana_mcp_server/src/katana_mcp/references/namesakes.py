"""What tells records of one name apart: an e-mail address, a currency, a SKU. Refuses to say more than is needed."""

from collections.abc import Mapping, Sequence

from cache_core.records import Record, values_at
from katana_mcp.references.display_names import Names, text

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "customer": ("email", "company", "currency", "addresses[].city", "phone", "reference_id"),
    "supplier": ("email", "currency", "addresses[].city", "phone", "comment"),
    **dict.fromkeys(("manufacturing_order", "purchase_order", "sales_order"), ("status",)),
}
_SHOWN, _CUT = 2, 60
"""Fields that are said of a record, and characters of each."""


def details_of(entity: str, record: Record, names: Names | None = None) -> tuple[str, ...]:
    """Return what may tell a record from others of its name, what is best known first; blank where it has none.

    Args:
        entity: the cache entity.
        record: of it.
        names: hold the variants that records of it are of.
    """
    if entity == "variant":
        return (text(record, "sku") or "", " ".join(map(str, Names().parent(record) or ())))
    goods = "" if names is None else names.sku(record.get("variant_id")) or ""
    return (goods, *(_first(record, path) for path in _FIELDS.get(entity, ())))


def _first(record: Record, path: str) -> str:
    found = (value.strip() for value in values_at(record, path) if isinstance(value, str))
    return next((value[:_CUT] for value in found if value), "")


def told_apart(records: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Return names, each with the details in which it differs from the others where the names are not enough.

    Args:
        records: the name of each, and its details, of all in the same order.
    """
    names = [name for name, _ in records]
    if len(set(names)) == len(names):
        return names
    columns = [column for column in zip(*(details for _, details in records), strict=True) if len(set(column)) > 1]
    best = [column for column in columns if len(set(column)) == len(names)][:1] or columns[:_SHOWN]
    return [", ".join([name, *(column[at] for column in best if column[at])]) for at, name in enumerate(names)]
