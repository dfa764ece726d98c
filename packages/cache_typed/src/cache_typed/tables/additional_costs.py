"""Additional costs: Katana's presets that a purchase order can carry."""

from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.additional_costs import ADDITIONAL_COST
from cache_typed.documents import identity, text
from cache_typed.mapping import TableMapping
from cache_typed.tables.dated import Dated


class AdditionalCost(Dated, table=True):
    """A kind of cost."""

    _fts_columns: ClassVar[Searchable] = ADDITIONAL_COST.searchable

    id: int = identity()
    name: str | None = text()


ADDITIONAL_COST_TABLE = TableMapping(ADDITIONAL_COST, AdditionalCost)
