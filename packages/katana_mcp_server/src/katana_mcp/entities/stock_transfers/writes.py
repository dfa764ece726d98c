"""How stock transfers are written: head and status; locations and rows never change."""

from typing import Annotated

from katana_client.resources.stock_transfers import TransferStatus
from katana_mcp.documents.declaration import ONLY_NEW, Field, Key, Part, Status, Writable
from katana_mcp.documents.goods import goods_line
from katana_mcp.documents.tracking import BINS, as_sent, traced_field
from katana_mcp.documents.usual_fields import GOODS, number_field
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.stock_transfers.moving import REFUSED, ROWS, RULES, described, gather, moves, read
from katana_mcp.entities.stock_transfers.responses import ANSWERS
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.operations.filters import Moment, spelling
from katana_mcp.tools.requests import NameOrId, Notes, WriteQuantity

_FIXED = "locations and rows of a transfer never change: `create_stock_transfer` plans another one"
_PLACES = ("source_location_id", "target_location_id", "destination_location_id")
_OTHER_WORDS = ("source_location", "target_location", "destination_location", "from_location", "to_location")
_FROM, _TO = "From: id or exact name.", "To: id or exact name."
_TARGET = Field(
    "target_location_id",
    NameOrId,
    _TO,
    argument="destination_location_id",
    verbs=ONLY_NEW,
    required=True,
    names="location",
)

STOCK_TRANSFER = Writable(
    entity="stock_transfer",
    collection="stock_transfers",
    says_id="Id or number.",
    key=Key(name="stock_transfer_number", words="transfer number", prefix="ST-"),
    head=(
        number_field("stock_transfer_number", "ST-3"),
        Field("source_location_id", NameOrId, _FROM, verbs=ONLY_NEW, required=True, names="location"),
        _TARGET,
        Field("transfer_date", Moment, "When the goods leave.", clears=False, filled=True),
        Field("order_created_date", Moment, "Ordered on.", filled=True),
        Field("expected_arrival_date", Moment, "Should arrive on."),
        Field("additional_info", Notes, "Its notes."),
    ),
    parts=(
        Part(
            name="rows",
            one="row",
            held=ROWS,
            says={"new": "What moves; rows cannot be changed later."},
            most=250,
            needed=True,
            fields=(GOODS, Field("quantity", WriteQuantity, "How much moves.", required=True), traced_field()),
            unsaid=(BINS,),
            finish=as_sent,
            line=goods_line,
        ),
    ),
    status=Status(
        kind=Annotated[TransferStatus, spelling(TransferStatus)],
        says="At `inTransit` goods left the source, at `received` they are at the destination.",
        first="draft",
        refused=REFUSED,
        path="/status",
    ),
    words=dict.fromkeys(("rows", "add_rows", "update_rows", "lines", "items", *_PLACES, *_OTHER_WORDS), _FIXED),
    described=described,
    reads={"delete": VARIANT_ENTITIES},
    answers=ANSWERS,
    what={"create": " between two locations, as a draft", "modify": " or its status", "delete": " with its rows"},
    parties=("source_location_id", "target_location_id"),
    gather=gather,
    read=read,
    rules=RULES,
    moves=moves,
)
WRITES = writes(STOCK_TRANSFER)
