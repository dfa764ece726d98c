"""How bills of materials are written: rows of one product added, changed, deleted or copied from another product."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field as Argument
from pydantic import StrictStr

from katana_mcp.documents.declaration import ONLY_LATER, Field, Key, Part, Writable
from katana_mcp.documents.usual_fields import BRIEF_GOODS, Amount, Reference
from katana_mcp.documents.verbs import completed, writes
from katana_mcp.entities.items.boms import rows
from katana_mcp.references.display_names import VARIANT_ENTITIES
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.requests import ShortText
from katana_mcp.writing.preview import Preview

type RowId = Annotated[StrictStr, Argument(min_length=1, max_length=255)]
"""The id of a row of a bill of materials, which Katana gives as a text."""


class ModifyBomResponse(Preview):
    """The answer of `modify_bom`; its id is that of the product's variant."""


_ANSWERS: dict[Verb, type[Preview]] = dict.fromkeys(("create", "modify", "delete"), ModifyBomResponse)
_INGREDIENT = replace(
    BRIEF_GOODS, name="ingredient_variant_id", says="The ingredient: SKU or variant id.", clears=False
)
BOM = Writable(
    entity="variant",
    noun="bom",
    words_before="bill of materials of",
    argument=rows.SUBJECT,
    collection="variants",
    says_id="The product: SKU or variant id.",
    id_kind=Reference,
    find=rows.find,
    key=Key(name="sku", words="SKU"),
    head=(),
    parts=(
        Part(
            name="rows",
            one="row",
            held=rows.HELD,
            fields=(
                _INGREDIENT,
                Field("quantity", Amount, "For one of the product.", required=True, clears=False),
                Field("notes", ShortText, "Its notes."),
            ),
            says={"add": "New rows.", "update": "Rows to change.", "delete": "By their `bom_row_id`."},
            most=100,
            collection="bom_rows",
            entity=rows.BOM_ROW,
            parent="product_variant_id",
            look=lambda body: {"product_variant_id": body["product_variant_id"]},
            verbs=ONLY_LATER,
            kind=lambda _: "row",
            finish=rows.finish,
            line=rows.line,
            unsaid=("custom_fields",),
            key_kind=RowId,
            also={"bom_row_id": ("row_id",)},
            is_brief=True,
        ),
    ),
    switches=(Field("copy_of", Reference, "Also adds this product's rows.", verbs=ONLY_LATER, clears=False),),
    words={
        **dict.fromkeys(("rows", "ingredients", "components", "lines"), ("add_rows", "update_rows")),
        **dict.fromkeys(("remove_rows", "delete_rows", "remove_row_ids"), ("delete_row_ids",)),
        **dict.fromkeys(("copy_from", "copy", "template"), ("copy_of",)),
        **dict.fromkeys(("product", "product_variant_id", "variant_id"), ("sku_or_variant_id",)),
    },
    described=lambda _: "",
    reads={"modify": (rows.BOM_ROW, *VARIANT_ENTITIES)},
    answers=_ANSWERS,
    what=dict.fromkeys(("create", "modify", "delete"), ""),
    gather=rows.gather,
    is_sendable=rows.is_product,
    read=rows.read,
    rules=rows.RULES,
    binds=rows.binds,
    lanes=lambda _: (rows.LANE,),
)
MODIFYING = completed(writes(BOM)["modify"], rows.whole)
