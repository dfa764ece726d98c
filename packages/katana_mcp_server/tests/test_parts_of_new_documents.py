"""What of a new document's parts is sent apart from it, where requests of parts are found, and what a body holds."""

from dataclasses import replace

import pytest

from katana_client.collection import Spec
from katana_client.models.purchase_orders import PurchaseOrder
from katana_client.resources.purchase_orders import PurchaseOrderUpdate
from katana_mcp.documents.declaration import Field, Key, Part, Writable
from katana_mcp.documents.steps import added, body_of, deleted, id_of, patch_of, spec_of, steps
from katana_mcp.documents.transition import Facts, PartDiff, State, Transition
from katana_mcp.writing.actions import Action, Recognise, Ref, on_record

VARIANTS = Part(
    name="variants",
    one="product_variant",
    held="variants",
    says={},
    most=9,
    fields=(Field("sku", str),),
    collection="variants",
    entity="variant",
    parent="product_id",
    completes=True,
)
PRODUCT = Writable(
    entity="product",
    collection="products",
    says_id="",
    key=Key(name="name", words="name"),
    head=(Field("name", str),),
    parts=(VARIANTS,),
    described=lambda _: "",
    what={},
    answers={},
)
BARCODED = {"sku": "BIKE", "sales_price": 5, "registered_barcode": "12345"}


def new(target: State) -> Transition:
    """Return what makes a new product."""
    return Transition(
        asked={},
        facts=Facts(),
        before=None,
        unlocked={},
        middle={},
        target=target,
        after=target,
        head=target,
        parts={"variants": PartDiff()},
        sent={"variants": PartDiff()},
        status=None,
        unlocks=False,
    )


def titles(sent: tuple[Action, ...]) -> list[str]:
    """Return the titles of what is sent."""
    return [action.title for action in sent]


def test_what_a_new_document_does_not_take_of_its_one_part_is_sent_right_after_it() -> None:
    part = replace(VARIANTS, collection="customer_addresses", entity="")
    doc = replace(PRODUCT, parts=(part,))
    target = {"name": "Bike", "variants": [{"sku": "BIKE", "city": "Oslo", "zip": "1", "colour": "red"}]}
    made, rest = steps(doc, new(target))
    assert made.body == {"name": "Bike", "variants": [{"sku": "BIKE"}]}
    assert rest == Action(
        title="set city, zip of the product variant of product Bike",
        method="PATCH",
        path="/customer_addresses",
        body={"city": "Oslo", "zip": "1"},
        entity="product",
        expects={"city": "Oslo", "zip": "1"},
        target=Ref(0, "variants.0.id"),
        recognise=Recognise(collection="customer_addresses", filters={"ids": [Ref(0, "variants.0.id")]}),
    )
    (_, owned) = steps(replace(doc, parts=(replace(part, entity="variant"),)), new(target))
    assert owned == replace(rest, entity="variant")


@pytest.mark.parametrize("rows", [[BARCODED], [BARCODED, BARCODED]])
def test_nothing_more_is_sent_where_the_new_document_takes_all_of_its_parts(rows: list[State]) -> None:
    (made,) = steps(PRODUCT, new({"name": "Bike", "variants": rows}))
    assert made.body == {"name": "Bike", "variants": rows}


def test_only_the_one_part_of_a_document_is_completed() -> None:
    doc = replace(PRODUCT, parts=(replace(VARIANTS, collection="customer_addresses"),))
    two = [{"sku": "A", "city": "Oslo"}, {"sku": "B", "city": "Oslo"}]
    assert titles(steps(doc, new({"name": "Bike", "variants": two}))) == ["create product Bike"]
    plain = replace(doc, parts=(replace(doc.parts[0], completes=False),))
    assert titles(steps(plain, new({"name": "Bike", "variants": two[:1]}))) == ["create product Bike"]


def test_a_record_without_an_id_has_the_id_0() -> None:
    assert (id_of({}), id_of({"id": None}), id_of({"id": 5})) == (0, 0, 5)


def test_a_body_holds_what_the_client_takes_and_keeps_notes() -> None:
    state: dict[str, object] = {"currency": "EUR", "id": 40}
    assert (body_of(None, state), body_of(PurchaseOrderUpdate, state)) == ({}, {"currency": "EUR"})
    document = {"id": 40, "additional_info": "fragile", "order_no": "PO-40"}
    spec = spec_of("purchase_orders")
    assert (spec.name, spec.update) == ("purchase_orders", PurchaseOrderUpdate)
    assert patch_of(spec, state, document) == {"additional_info": "fragile", "currency": "EUR"}
    assert patch_of(Spec(name="purchase_orders", model=PurchaseOrder), state, document) == {}


def test_the_requests_of_parts_are_found_by_their_paths() -> None:
    rows = replace(VARIANTS, collection="purchase_order_rows", entity="")
    gone = on_record("", "purchase_order", "purchase_order_rows", 18)
    sent = (
        on_record("", "product", "products", 5, {"name": "Bike"}),
        replace(gone, record=40, part="purchase_order_rows", row=18),
        Action(title="", method="POST", path="/purchase_order_rows", entity="purchase_order"),
        Action(title="", method="POST", path="/variants", entity="variant"),
        on_record("", "variant", "variants", 70),
        on_record("", "variant", "variants", 71, {"sku": "B"}),
        Action(title="", method="DELETE", path="/variants/72", entity="variant"),
        Action(title="", method="POST", path="/variants", entity="variant"),
    )
    assert (added(rows, sent), added(VARIANTS, sent)) == ([2], [3, 7])
    assert (deleted(rows, sent), deleted(VARIANTS, sent)) == ({18: 1}, {70: 4})
