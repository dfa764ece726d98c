"""The batches that an item has in stock now, and which of them a request means.

Katana lists a batch with its stock, in a row for each location, and drops one that never had any: the journal tells
which of those were made from here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cache_core.records import Record, canonical
from katana_client.errors import KatanaError
from katana_mcp.documents.gathering import references
from katana_mcp.references.batch_numbers import made_batches
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.live_reads import read_rows
from katana_mcp.references.resolve import unasked
from katana_mcp.references.services import Services, current
from katana_mcp.references.suggestions import named_by
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.days import IN_UTC, Days
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import get_bool, get_int
from katana_mcp.workflows.batches.request import ModifyTraceabilityRequest

VARIANT, COLLECTION = "variant", "batch_stocks"
READS = VARIANT_ENTITIES
FIELDS = ("batch_number", "batch_barcode", "batch_created_date", "expiration_date")


@dataclass(frozen=True, slots=True)
class BatchFacts:
    """What was read for a plan.

    Attributes:
        named: what has the SKU or id that the request gives.
        batches: each batch of the item that Katana lists, once, with the fields of its first row.
        made: the others that were made from here; without an id where no answer told it.
        is_tracked: whether the item is kept in batches; None where nobody says.
        days: of the factory, in which dates are shown.
    """

    named: Named
    batches: tuple[Record, ...] = ()
    made: tuple[Record, ...] = ()
    is_tracked: bool | None = None
    days: Days = IN_UTC

    @property
    def goods(self) -> NamedRecord | None:
        """The variant, if exactly one was meant."""
        return self.named.one

    def meant(self, asked: int | str) -> list[Record]:
        """Return the batches with an id or a number."""
        having_id = [record for record in self.made if get_int(record, "batch_id") is not None]
        every = (*self.batches, *having_id)
        return named_by(
            asked, every, lambda record: get_int(record, "batch_id"), lambda record: text(record, "batch_number")
        )

    def before(self, request: ModifyTraceabilityRequest) -> Record | None:
        """Return the batch that is to change, if exactly one was meant."""
        found = [] if request.batch is None else self.meant(request.batch)
        return found[0] if len(found) == 1 else None


async def gather(request: ModifyTraceabilityRequest, services: Services) -> BatchFacts:
    """Return the item and its batches as they are in Katana now.

    Raises:
        Refused: Katana does not say.
    """
    await current(services, READS, ())
    asked = (VARIANT, request.sku_or_variant_id)
    named = (await references(services, [asked]))[asked]
    if named.one is None:
        return BatchFacts(named, days=services.days)
    names = await look_up(services.cache, {VARIANT: [named.one.id]})
    listing = services.client.batch_stocks
    try:
        read = await read_rows([listing.pages(variant_id=named.one.id, include_empty=True)])
    except KatanaError:
        raise Refused(unasked("which batches there are now")) from None
    listed, made = _once(read.rows), await made_batches(services)
    ids = {record["batch_id"] for record in listed}
    unlisted = [row for row in made if row.get("variant_id") == named.one.id and row["batch_id"] not in ids]
    return BatchFacts(named, listed, tuple(unlisted), _is_tracked(names, named.one.id), services.days)


def _once(found: Sequence[Record]) -> tuple[Record, ...]:
    rows = {get_int(row, "batch_id"): canonical(row) for row in reversed(found)}
    return tuple(row for key, row in rows.items() if key is not None)


def _is_tracked(names: Names, variant: int) -> bool | None:
    item = names.item(names.record(VARIANT, variant) or {})
    return None if item is None else get_bool(item, "batch_tracked")
