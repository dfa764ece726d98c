"""The levels that are to change, as Katana shows them now, and the bins of their locations.

Katana's reorder point is an older name of the safety stock: one number, which it shows with the stock.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.documents.gathering import references
from katana_mcp.references.display_names import VARIANT_ENTITIES, text
from katana_mcp.references.resolve import unasked
from katana_mcp.references.services import Services, current
from katana_mcp.references.suggestions import same
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import child, number
from katana_mcp.workflows.bins import bins_at
from katana_mcp.workflows.safety_stock.request import KeptGoods, ModifySafetyStockRequest
from katana_mcp.workflows.stock import levels_by_place

VARIANT, LOCATION = "variant", "location"
READS = (*VARIANT_ENTITIES, LOCATION)
_WAITS = 10.0
"""Seconds that a plan waits for levels."""

type Place = tuple[int, int]
"""The ids of a variant and a location."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A row of a request whose item and location are known.

    Attributes:
        nr: its place in the request.
        goods: the variant.
        place: the location.
        level: what Katana shows of the variant there.
        asked: what the request says.
        bin: the bin that is meant, as it is spelt where it is there; None for none.
    """

    nr: int
    goods: NamedRecord
    place: NamedRecord
    level: Record
    asked: KeptGoods
    bin: str | None

    @property
    def key(self) -> Place:
        """The ids of the variant and the location."""
        return self.goods.id, self.place.id

    @property
    def called(self) -> str:
        """What people call the pair."""
        return f"{self.goods.called} at {self.place.called}"

    @property
    def old_amount(self) -> Decimal | None:
        """The safety stock now."""
        return number(self.level, "safety_stock_level")

    @property
    def old_bin(self) -> str | None:
        """The name of the default bin now."""
        return text(child(self.level, "default_storage_bin"), "bin_name")

    @property
    def has_amount(self) -> bool:
        """Whether the request gives another safety stock."""
        return self.asked.safety_stock is not None and self.asked.safety_stock != self.old_amount

    @property
    def has_bin(self) -> bool:
        """Whether the request gives another bin, or takes it away."""
        return "default_bin" in self.asked.model_fields_set and self.bin != self.old_bin


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """What was read for a plan.

    Attributes:
        named: what has each id, SKU or name that the request gives, by cache entity.
        levels: what Katana shows now, by variant and location.
        bins: the names of the bins of each location, where the request names some.
    """

    named: Mapping[tuple[str, int | str], Named]
    levels: Mapping[Place, Record] = field(default_factory=dict[Place, Record])
    bins: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])

    def pair(self, row: KeptGoods) -> tuple[NamedRecord, NamedRecord] | None:
        """Return the variant and the location of a row, if exactly one of each was meant."""
        goods, place = self.named[VARIANT, row.sku_or_variant_id].one, self.named[LOCATION, row.location_id].one
        return None if goods is None or place is None else (goods, place)

    def bin(self, place: int, name: str | None) -> str | None:
        """Return a bin's name as it is spelt at a location, or as it was given where none has it."""
        names = self.bins.get(place, ())
        return name if name is None or name in names else next((spelt for spelt in names if same(spelt, name)), name)

    def kept(self, request: ModifySafetyStockRequest) -> Iterator[Kept]:
        """Yield the rows of which Katana keeps stock."""
        for nr, row in enumerate(request.rows):
            pair = self.pair(row)
            level = None if pair is None else self.levels.get((pair[0].id, pair[1].id))
            if pair is not None and level is not None:
                yield Kept(nr, *pair, level, row, self.bin(pair[1].id, row.default_bin))


async def gather(request: ModifySafetyStockRequest, services: Services) -> KeptFacts:
    """Return what is named and its levels as they are in Katana now.

    Raises:
        Refused: Katana does not say.
    """
    await current(services, READS, ())
    asked = [(VARIANT, row.sku_or_variant_id) for row in request.rows]
    named = await references(services, [*asked, *((LOCATION, row.location_id) for row in request.rows)])
    goods = sorted({one.id for key in asked if (one := named[key].one) is not None})
    stock = await services.stock.planning(_WAITS).read_again(goods)
    if stock.reason or stock.unknown:
        raise Refused(unasked("what these locations keep now"))
    levels = {(goods, place): level for (goods, place), level in levels_by_place(stock).items() if goods and place}
    places = {
        one.id: one
        for row in request.rows
        if row.default_bin is not None and (one := named[LOCATION, row.location_id].one) is not None
    }
    return KeptFacts(named, levels, {place: await bins_at(place, services) for place in sorted(places)})
