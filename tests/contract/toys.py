"""Toy entities with hostile data: what the suite stores, and how rows and batches are made from it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from cache_core.conditions import EVERYTHING
from cache_core.indexing import row_of
from cache_core.protocol import Batch, CacheBackend, Origin, Row, Search, Selection
from cache_core.records import Json, Record, RecordId, canonical
from cache_core.search_rules import Tier
from cache_core.spec import EntitySpec, Lookup, Searchable

OWNER = EntitySpec(
    name="toy_owner",
    collection="toy_owners",
    searchable=Searchable(names=("name",), extras=("email",)),
    key_path="name",
)
_OWNER = Lookup("owner_id", "toy_owner", ("name",))
TOY = EntitySpec(
    name="toy",
    collection="toys",
    searchable=Searchable(
        keys=("sku",),
        names=("name", "second_name"),
        extras=("codes[]", "barcode", "rows[].note"),
        related=(_OWNER,),
    ),
    key_path="sku",
    include=("deleted", "archived"),
    children=("rows",),
    inherits=(_OWNER,),
)
TAG = EntitySpec(name="toy_tag", collection="toy_tags", searchable=Searchable(names=("label",)), watermark=False)
SPECS = (OWNER, TOY, TAG)

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def moment(seconds: float = 0) -> str:
    """Return a moment this long after noon as Katana writes it."""
    return (NOON + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def toy(row_id: RecordId, /, *, version: int = 0, owned_by: str | None = None, **fields: object) -> Row:
    """Return a row of `TOY`; `version` counts seconds, `owned_by` is the name of its owner."""
    return toy_of(row_id, fields, version, owned_by)


def toy_of(row_id: RecordId, fields: Record, version: int = 0, owned_by: str | None = None) -> Row:
    """Return a row of `TOY` with these fields, whatever they are called."""
    borrowed = {} if owned_by is None else {"owner_id": 5}
    record = {**fields, **borrowed, "id": row_id, "updated_at": moment(version)}
    return row_of(TOY, canonical(record), {("toy_owner", 5): {"name": owned_by}})


def tag(row_id: str, label: str) -> Row:
    """Return a row of `TAG`, which has text ids and no versions."""
    return row_of(TAG, canonical({"id": row_id, "label": label}), {})


def owner(row_id: int, name: str, *, version: int = 0) -> Row:
    """Return a row of `OWNER`."""
    return row_of(OWNER, canonical({"id": row_id, "name": name, "updated_at": moment(version)}), {})


def listing(*rows: Row, entity: str = "toy", at: float = 0) -> Batch:
    """Return a batch as a listing writes it."""
    return Batch(entity=entity, at=moment(at), upserts=rows)


def own_write(*rows: Row, at: float = 0) -> Batch:
    """Return a batch as our own write leaves it."""
    return Batch(entity="toy", at=moment(at), upserts=rows, origin=Origin.OWN_WRITE)


def removal(*ids: RecordId, entity: str = "toy") -> Batch:
    """Return a batch that removes rows."""
    return Batch(entity=entity, at=moment(), removed=ids)


async def hold_only(cache: CacheBackend, rows: Sequence[Row]) -> None:
    """Make the cache hold these toys and no others."""
    everything = Selection(limit=100_000, visibility=EVERYTHING)
    there = await cache.select("toy", everything)
    await cache.apply(Batch(entity="toy", at=moment(), removed=[row.id for row in there]))
    await cache.apply(listing(*rows))


async def record_of(cache: CacheBackend, row_id: RecordId, entity: str = "toy") -> dict[str, Json]:
    """Return the record stored under an id that must be there."""
    found = await cache.get_many(entity, [row_id])
    return found.rows[0].record


def exact(value: object) -> object:
    """Return what two values must have in common to be the same to the last digit, key order apart."""
    if isinstance(value, dict):
        return {key: exact(element) for key, element in value.items()}
    return [exact(element) for element in value] if isinstance(value, list) else repr(value)


async def found_ids(cache: CacheBackend, text: str, entity: str = "toy") -> list[RecordId]:
    """Return the ids that a search finds for certain, best first: guesses after a miss are left out."""
    result = await cache.search(entity, Search(text, limit=1_000))
    return [hit.row.id for hit in result.hits if hit.tier <= Tier.TOKENS]


HOSTILE_TEXTS = (
    "",
    " ",
    '"',
    "'; DROP TABLE toys; --",
    "NEAR(a b, 3)",
    "a* OR b",
    "sku:x",
    "^x -y",
    "name : {a b}",
    "\x00",
    "before\x00after",
    "😀 emoji 👩‍👩‍👧",
    "e\u0301te\u0301 NFD",
    "été NFC",
    "\u202eRTL שלום עולם",
    "漢字 かな",
    "हिन्दी",
    "\u0130stanbul \u0131I",
    "straße STRASSE",
    "ﬁ ligature",
    "K Kelvin",
    "\ufdfa",
    "a_b__c",
    "00.4021.018.003",
    "AB-12/34.5_X",
    "\\ % _ ? ' \" ` [ ] { } ( ) * + ~ | & ^ $ # @ !",
    "\t\n\r\u2028",
    "NULL",
    "undefined",
    "\U0001d518\U0001d52b\U0001d526",
    "١٢٣",
    "x" * 1_000,
)
HOSTILE_RECORDS: tuple[dict[str, object], ...] = (
    {"sku": None, "name": None, "codes": None, "barcode": None, "rows": None, "amount": None},
    {},
    {"codes": [], "rows": []},
    {"codes": [None, "", "A.1", "A.1"], "rows": [{}, {"id": None}, {"note": None}]},
    {"amount": Decimal("12345678901234567890.123456789"), "count": 10**17 + 1},
    {"amount": Decimal("0.10"), "count": 0},
    {"amount": Decimal("-1E-20"), "count": -5},
    {"amount": 12345678901234567890},
    {"unknown": {"deep": [{"er": [1, "2", None, True, Decimal("3.30")]}], "": "empty key"}, 'quo"te': 1},
    {"flag": True, "status": "OPEN", "due": "2025-01-01T00:00:00.000Z"},
    {"flag": False, "status": "", "due": None},
    {"shipping_fee": {}, "name": "null", "status": "undefined"},
    *({"sku": text, "name": text, "barcode": text, "codes": [text], "status": text} for text in HOSTILE_TEXTS),
)
