"""How stock adjustments are written: head and location; rows never change."""

from katana_mcp.documents.declaration import ONLY_NEW, Field, Key, Part, Writable
from katana_mcp.documents.tracking import BINS, as_sent, traced_field
from katana_mcp.documents.usual_fields import GOODS, number_field
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.stock_adjustments.counting import (
    ROWS,
    RULES,
    again,
    costed_line,
    currency,
    described,
    gather,
    is_sendable,
    moves,
    read,
    settle,
)
from katana_mcp.entities.stock_adjustments.responses import ANSWERS
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES
from katana_mcp.surface.operations.filters import Moment
from katana_mcp.tools.requests import (
    NameOrId,
    Notes,
    ShortText,
    SignedQuantity,
    WriteQuantity,
)

_FIXED = "rows of an adjustment never change: `create_stock_adjustment` plans another one that corrects it"
_ROW_WORDS = ("rows", "add_rows", "update_rows", "delete_row_ids", "lines", "items", "quantity")
_PLACE = Field(
    "location_id",
    NameOrId,
    "Another location: what was adjusted moves there.",
    says_new="Where: id or exact name.",
    required=True,
    clears=False,
    names="location",
)
_COST = Field(
    "cost_per_unit",
    WriteQuantity,
    "Of what comes, in the base currency; the present average cost by default.",
    verbs=ONLY_NEW,
    filled=True,
)

STOCK_ADJUSTMENT = Writable(
    entity="stock_adjustment",
    collection="stock_adjustments",
    says_id="Id or number.",
    key=Key(name="stock_adjustment_number", words="adjustment number", prefix="SA-"),
    head=(
        number_field("stock_adjustment_number", "SA-3"),
        _PLACE,
        Field("stock_adjustment_date", Moment, "When; now by default.", clears=False, filled=True),
        Field("reason", ShortText, "Why: counted, broken in shipping."),
        Field("additional_info", Notes, "Its notes."),
    ),
    parts=(
        Part(
            name="rows",
            one="row",
            held=ROWS,
            says={"new": "What comes or goes; rows cannot be changed later."},
            most=250,
            needed=True,
            fields=(
                GOODS,
                Field("quantity", SignedQuantity, "What is added; negative takes away.", required=True),
                _COST,
                traced_field(),
            ),
            again=again,
            unsaid=(BINS,),
            finish=as_sent,
            line=costed_line,
        ),
    ),
    words=dict.fromkeys(_ROW_WORDS, _FIXED) | {"location": ("location_id",), "date": ("stock_adjustment_date",)},
    described=described,
    reads={"create": FACTORY, "delete": ("location", *VARIANT_ENTITIES, *FACTORY)},
    answers=ANSWERS,
    what={
        "create": ", which changes stock when it is applied",
        "modify": " or its location",
        "delete": " with its rows",
    },
    parties=("location_id",),
    gather=gather,
    read=read,
    is_sendable=is_sendable,
    settle=settle,
    rules=RULES,
    moves=moves,
    currency=currency,
)
WRITES = writes(STOCK_ADJUSTMENT)
