"""Prices of a price list as they are sent: rows that change one by one, new ones as one request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cache_core.records import Record, canonical
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.items.prices.lists import FIXED, ROWS, PriceList
from katana_mcp.entities.items.prices.reading import Priced, called_of
from katana_mcp.references.display_names import text
from katana_mcp.references.wording import NamedRecord
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.values import number
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, Recognise, on_record
from katana_mcp.writing.preview import FieldChange

_BINDING = ("id", "variant_id", "adjustment_method", "amount")
_ROW = "price_list_row"


@dataclass(frozen=True, slots=True)
class Listed:
    """A price that changes, and the row of the list that holds it; None for a new one."""

    priced: Priced
    row: Record | None

    @property
    def is_fixed(self) -> bool:
        """Whether the row says a price now."""
        return self.row is not None and self.row.get("adjustment_method") == FIXED

    def changed(self, called: str, in_list: str) -> FieldChange:
        """Return it as a preview tells it: what was worked out, with how."""
        old, new = None if self.row is None else number(self.row, "amount"), str(plain_number(self.priced.new))
        old_text = None if old is None else str(plain_number(old))
        if self.row is not None and not self.is_fixed:
            old_text = f"{old_text} {text(self.row, 'adjustment_method')}"
        return FieldChange(field=f"{called}.{in_list}", old=old_text, new=new)


def listed(chosen: Sequence[Priced], of_list: PriceList) -> Iterator[Listed]:
    """Yield each price that changes with its row."""
    for priced in chosen:
        yield Listed(priced, of_list.rows.get(int(priced.variant.id)))


def sent_to_list(pairs: Sequence[Listed], one: NamedRecord, facts: Facts) -> Iterator[Action]:
    """Yield a request for each row that is there, in their order, and one for all that are new."""
    for pair in pairs:
        if pair.row is not None:
            called, amount = called_of(pair.priced.variant, facts), plain_number(pair.priced.new)
            body = canonical({**({} if pair.is_fixed else {"adjustment_method": FIXED}), "amount": pair.priced.new})
            title = f"set the price of {called} in {one.called} to {amount}"
            yield on_record(title, _ROW, ROWS, int(str(pair.row["id"])), body)
    new = [pair.priced for pair in pairs if pair.row is None]
    if new:
        yield _new(new, one)


def _new(new: Sequence[Priced], one: NamedRecord) -> Action:
    rows = canonical(
        {ROWS: [{"variant_id": priced.variant.id, "adjustment_method": FIXED, "amount": priced.new} for priced in new]}
    )
    ids = [priced.variant.id for priced in new]
    return Action(
        title=f"put {so_many(len(new), 'price')} into {one.called}",
        method="POST",
        path=f"/{ROWS}",
        body={"price_list_id": one.id, **rows},
        entity=_ROW,
        expects=rows,
        recognise=Recognise(collection=ROWS, filters={"price_list_ids": [one.id], "variant_ids": ids}),
        is_answered=False,
        answers_many=len(new),
    )


def bound_of_list(pairs: Sequence[Listed], one: NamedRecord) -> JsonObject:
    """Return what a plan depends on: the list, and each row as it is."""
    rows = [
        {"variant_id": pair.priced.variant.id, **{name: (pair.row or {}).get(name) for name in _BINDING if pair.row}}
        for pair in pairs
    ]
    return {"id": one.id, "name": one.name, ROWS: rows}


def back_of_list(pairs: Sequence[Listed]) -> list[object] | None:
    """Return the prices as they were, each where it was applied; None where some were none, or were worked out."""
    if not pairs or not all(pair.is_fixed for pair in pairs):
        return None
    return [
        IfApplied(place, {"sku_or_variant_id": pair.priced.variant.id, "price": _amount(pair.row or {})})
        for place, pair in enumerate(pairs)
    ]


def _amount(row: Mapping[str, object]) -> object:
    amount = number(row, "amount")
    return None if amount is None else plain_number(amount)
