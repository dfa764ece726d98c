"""How suppliers are written: their head, and the one address that each may have."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from pydantic import Field as Argument
from pydantic import StrictStr

from katana_client.resources.addresses import PLACE
from katana_mcp.documents.custom_fields import custom_values
from katana_mcp.documents.declaration import Field, Key, Part, Writable
from katana_mcp.documents.leaving import left_open, linked
from katana_mcp.documents.states import added_parts
from katana_mcp.documents.transition import Transition
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.suppliers.responses import ANSWERS
from katana_mcp.entities.suppliers.supplied import ADDRESSES, ITEMS, binds, described, gather, supplied_items
from katana_mcp.surface.operations.addresses import address_in_words
from katana_mcp.surface.operations.filters import Currency
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import NewName, Notes, ShortText
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import rows

type _Phone = Annotated[StrictStr, Argument(max_length=30)]
_OFFER = "say `update_addresses` to change the address, `add_addresses` where there is none"


def _addresses(change: Transition) -> Iterator[ToolWarning]:
    """Yield that an address is added to another one, or says nothing."""
    has_one = any("id" in row for row in rows(change.new, ADDRESSES))
    for path, _, row in added_parts(change, ADDRESSES, ADDRESSES):
        if has_one:
            message = f"{path}: a supplier can have only one address: change or delete the existing one"
            yield blocking(warning_codes.ONLY_ONE_ALLOWED, message, path)
        if not any(str(value).strip() for value in row.values()):
            yield blocking(warning_codes.INVALID_ARGUMENT, f"{path}: an address needs at least one field", path)


SUPPLIER = Writable(
    entity="supplier",
    collection="suppliers",
    says_id="Id or exact name.",
    key=Key(name="name", words="name"),
    head=(
        Field("name", NewName, "The new name.", says_new="The name; need not be unique.", required=True, clears=False),
        Field("email", ShortText, "E-mail."),
        Field("phone", _Phone, "Number."),
        Field("comment", Notes, "Remarks."),
        Field("currency", Currency, "ISO 4217 code, EUR: of its prices and new orders.", clears=False, filled=True),
        custom_values("Supplier"),
    ),
    parts=(
        Part(
            name=ADDRESSES,
            one="address",
            held=ADDRESSES,
            says={
                "new": "A supplier has one at most.",
                "add": "An address, where there is none.",
                "update": "Lines to change, by `address_id`.",
                "delete": "The address to delete.",
            },
            most=1,
            fields=tuple(Field(name, ShortText) for name in PLACE),
            collection="supplier_addresses",
            parent="supplier_id",
            look=lambda body: {"supplier_ids": [body["supplier_id"]]},
            kind=lambda _: "address",
            called=address_in_words,
        ),
    ),
    words={
        "address": _OFFER,
        ADDRESSES: _OFFER,
        "address_id": "give it in `update_addresses`, with what changes",
        "remove_addresses": ("delete_address_ids",),
        "delete_addresses": ("delete_address_ids",),
    },
    head_title="change {}",
    blank_clears=True,
    described=described,
    reads={"modify": ITEMS, "delete": (*ITEMS, "purchase_order")},
    answers=ANSWERS,
    what={"create": " with its address", "modify": " or its address", "delete": " with its address"},
    gather=gather,
    linked=linked,
    rules=(_addresses, supplied_items, partial(left_open, "supplier")),
    binds=binds,
)
WRITES = writes(SUPPLIER)
