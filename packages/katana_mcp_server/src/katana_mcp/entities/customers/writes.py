"""How customers are written: their head, their addresses, and which of these is the default for shipping."""

from functools import partial
from typing import Literal

from katana_mcp.documents.custom_fields import custom_values
from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Writable
from katana_mcp.documents.leaving import bound, left_open, linked
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.customers.defaults import ADDRESSES, DEFAULT, LINES, RULES, again, settle
from katana_mcp.entities.customers.leaving import described, gather
from katana_mcp.entities.customers.responses import ANSWERS
from katana_mcp.surface.operations.addresses import address_in_words
from katana_mcp.surface.operations.filters import Currency
from katana_mcp.tools.requests import NewName, Notes, Percent, RecordNumber, ShortText

_OFFER = "say `update_addresses` to change addresses, `add_addresses` to add some"

CUSTOMER = Writable(
    entity="customer",
    collection="customers",
    says_id="Id or exact name.",
    key=Key(name="name", words="name"),
    head=(
        Field("name", NewName, "The new name.", says_new="The name; need not be unique.", required=True, clears=False),
        Field("first_name", ShortText, "First name."),
        Field("last_name", ShortText, "Last name."),
        Field("company", ShortText, "Company."),
        Field("email", ShortText, "E-mail."),
        Field("phone", ShortText, "Number."),
        Field("comment", Notes, "Remarks."),
        Field("currency", Currency, "ISO 4217 code, EUR.", clears=False, filled=True),
        Field("reference_id", ShortText, "Number elsewhere."),
        Field("category", ShortText, "A kind of customer."),
        Field("discount_rate", Percent, "Percent off.", filled=True),
        custom_values("Customer"),
        Field(
            DEFAULT,
            RecordNumber,
            "Which address becomes the default.",
            verbs=ONLY_LATER,
            part=ADDRESSES,
            becomes="the default",
        ),
    ),
    parts=(
        Part(
            name=ADDRESSES,
            one="address",
            held="addresses",
            says={
                "new": "One for billing, many for shipping; the first of a type is the default if no other is marked.",
                "add": "New addresses; `default` is about shipping.",
                "update": "Lines to change, by `address_id`.",
                "delete": "Addresses to delete.",
            },
            most=50,
            fields=(
                Field("entity_type", Literal["billing", "shipping"], verbs=ONLY_NEW, required=True),
                *(Field(name, ShortText) for name in LINES),
                Field("default", bool, verbs=ONLY_NEW, filled=True),
            ),
            collection="customer_addresses",
            parent="customer_id",
            look=lambda body: {"customer_ids": [body["customer_id"]]},
            kind=lambda row: f"{row['entity_type']} address",
            called=address_in_words,
            again=again,
        ),
    ),
    words={
        **dict.fromkeys(("addresses", "address", "shipping_address", "billing_address"), _OFFER),
        "address_id": "give it in `update_addresses`, with what changes",
        "default_address_id": ("default_shipping_id",),
        "remove_addresses": ("delete_address_ids",),
        "delete_addresses": ("delete_address_ids",),
    },
    head_title="change {}",
    blank_clears=True,
    described=described,
    reads={"delete": ("sales_order",)},
    answers=ANSWERS,
    what={"create": " with addresses", "modify": " or its addresses", "delete": " with its addresses"},
    gather=gather,
    settle=settle,
    rules=(*RULES, partial(left_open, "customer")),
    binds=bound,
    linked=linked,
)
WRITES = writes(CUSTOMER)
