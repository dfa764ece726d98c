"""What is planned for products and materials, and what speaks against it: pure functions of a request and of facts."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from katana_mcp.documents.transition import Facts, Linked
from katana_mcp.entities.items.using import Used
from katana_mcp.entities.items.writes import WRITES
from katana_mcp.references.display_names import Names
from katana_mcp.tools.requests import Request
from katana_mcp.writing.actions import Action, Ref, resolved
from katana_mcp.writing.change import Draft

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
SIZE = [{"config_name": "Size", "config_value": "S"}]
SMALL: dict[str, Any] = {
    "id": 50,
    "sku": "TR-S",
    "product_id": 5,
    "sales_price": Decimal(9),
    "purchase_price": Decimal(0),
    "config_attributes": SIZE,
    "supplier_item_codes": [],
    "lead_time": None,
    "updated_at": "2026-03-01T08:00:00.000Z",
}
LARGE = SMALL | {"id": 51, "sku": "TR-L", "config_attributes": [{"config_name": "Size", "config_value": "L"}]}
RECORD: dict[str, Any] = {
    "id": 5,
    "name": "Trike",
    "uom": "pcs",
    "category_name": "",
    "is_sellable": True,
    "is_producible": True,
    "is_purchasable": False,
    "batch_tracked": False,
    "serial_tracked": False,
    "additional_info": "by hand",
    "purchase_uom": None,
    "purchase_uom_conversion_rate": None,
    "archived_at": None,
    "configs": [{"id": 7, "name": "Size", "values": ["S", "L"], "product_id": 5}],
    "variants": [SMALL, LARGE],
}


def _new(kind: str = "product", **fields: object) -> Request:
    return CREATE.request.model_validate({"type": kind, "name": "Trike", "variants": [{}], **fields})


def _change(**fields: object) -> Request:
    return MODIFY.request.model_validate({"type": "product", "item_id": 5, **fields})


def _old(**changed: object) -> Facts:
    return Facts(record=RECORD | changed)


def _bodies(draft: Draft) -> list[object]:
    return [action.body for action in draft.actions]


def _summaries(request: Request, facts: Facts, change: Any = MODIFY) -> list[tuple[str, str | None]]:  # noqa: ANN401 - any change
    return [(check.code, check.field_path) for check in change.checks(request, facts)]


def test_a_new_product_is_one_request_with_options_read_off_its_variants() -> None:
    pairs = [{"config": {"Size": "S", "Gears": "9"}, "sales_price": 0}, {"config": {"Size": "L", "Gears": "9"}}]
    (action,) = CREATE.plan(_new(variants=pairs), Facts(namesakes=(3,))).actions
    body: dict[str, Any] = dict(action.fields)
    assert body["configs"] == [{"values": ["S", "L"], "name": "Size"}, {"values": ["9"], "name": "Gears"}]
    assert [row.get("sales_price") for row in body["variants"]] == [0, None]
    assert (action.leaves, action.embeds, action.recognise is not None) == (True, {"variants": "variant"}, True)
    assert Action.read(action.to_json()) == action


def test_a_new_material_gets_the_price_of_its_one_variant_by_the_id_that_katana_answers() -> None:
    draft = CREATE.plan(_new("material", variants=[{"sku": "A", "sales_price": 3}]), Facts())
    made, priced = draft.actions
    assert (made.path, priced.method, priced.path, priced.body) == (
        "/materials",
        "PATCH",
        "/variants",
        {"sales_price": 3},
    )
    assert priced.target == Ref(0, "variants.0.id")
    assert priced.shown_path == '/variants/{"$ref":[0,"variants.0.id"]}'
    assert Action.read(priced.to_json()).to_json() == priced.to_json()
    sent = priced.resolved({0: {"id": 8, "variants": [{"id": 81}]}})
    assert (sent.path, sent.record, sent.recognise and sent.recognise.filters) == ("/variants/81", 81, {"ids": [81]})
    answers: list[dict[str, Any]] = [{"id": 8}, {"id": 8, "variants": []}, {"id": 8, "variants": None}]
    for answer in answers:
        with pytest.raises(LookupError):
            resolved(Ref(0, "variants.0.id"), {0: answer})


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"is_producible": False}, "is_producible"),
        ({"is_auto_assembly": True, "batch_tracked": True}, "is_auto_assembly"),
        ({"batch_tracked": True, "serial_tracked": True}, "batch_tracked"),
        ({"purchase_uom": "box"}, "purchase_uom"),
        ({"purchase_uom_conversion_rate": 2}, "purchase_uom"),
        ({"variants": [{"sku": "A"}, {"sku": "B"}]}, "variants[0].config"),
        ({"variants": [{"config": {"Size": "S"}}, {"config": {"Colour": "Red"}}]}, "variants[0].config"),
    ],
)
def test_what_a_product_cannot_be_is_refused_before_katana_does(fields: dict[str, Any], path: str) -> None:
    assert ("invalid_argument", path) in _summaries(_new(**fields), Facts(), CREATE)
    assert _summaries(_new(), Facts(), CREATE) == []


def test_unit_and_rate_of_a_purchase_travel_together_and_go_together() -> None:
    bought = _old(purchase_uom="box", purchase_uom_conversion_rate=Decimal("12.0"))
    draft = MODIFY.plan(_change(purchase_uom="pack"), bought)
    notes = {"additional_info": "by hand"}
    assert _bodies(draft) == [notes | {"purchase_uom": "pack", "purchase_uom_conversion_rate": Decimal("12.0")}]
    assert draft.undoing == {
        "tool": "modify_item",
        "arguments": {
            "type": "product",
            "item_id": 5,
            "purchase_uom": "box",
            "purchase_uom_conversion_rate": Decimal("12.0"),
        },
    }
    none = dict.fromkeys(("purchase_uom", "purchase_uom_conversion_rate"))
    assert _bodies(MODIFY.plan(_change(purchase_uom=None), bought)) == [notes | none]
    assert _summaries(_change(purchase_uom_conversion_rate=None), bought) == [("invalid_argument", "purchase_uom")]


def test_a_changed_head_keeps_the_notes_that_katana_would_wipe() -> None:
    (action,) = MODIFY.plan(_change(name="Trike 2"), _old()).actions
    assert action.body == {"name": "Trike 2", "additional_info": "by hand"}


def test_an_option_that_changes_is_sent_with_all_the_others_by_their_ids() -> None:
    facts = _old(configs=[*RECORD["configs"], {"id": 8, "name": "Colour", "values": ["Red"]}])
    draft = MODIFY.plan(_change(configs={"Size": ["S", "M", "L"]}), facts)
    body: dict[str, Any] = dict(draft.actions[0].fields)
    assert body["configs"] == [
        {"values": ["S", "M", "L"], "id": 7, "name": "Size"},
        {"values": ["Red"], "id": 8, "name": "Colour"},
    ]
    assert [(change.field, change.old, change.new) for change in draft.changes] == [
        ("configs", "Size: S, L; Colour: Red", "Size: S, M, L; Colour: Red")
    ]


@pytest.mark.parametrize(
    ("configs", "message"),
    [
        ({"Size": ["S"]}, "variants have L of Size"),
        ({"Size": []}, "variants have S, L of Size"),
        ({"Smell": []}, "there is no option Smell to take away"),
    ],
)
def test_no_option_goes_that_a_variant_has(configs: dict[str, object], message: str) -> None:
    first = next(iter(MODIFY.checks(_change(configs=configs), _old())))
    assert (first.code, first.field_path, message in first.message) == ("invalid_argument", "configs", True)


def test_options_that_are_like_that_already_change_nothing() -> None:
    for configs in ({}, {"Size": ["S", "L"]}, [{"name": "Size", "values": ["S", "L"]}]):
        assert _summaries(_change(configs=configs), _old()) == [("no_effective_change", None)]


def test_a_variant_with_a_new_value_brings_it_to_the_options_first_and_keeps_what_it_has() -> None:
    draft = MODIFY.plan(_change(update_variants=[{"variant_id": "TR-S", "config": {"Size": "XS"}}]), _old())
    head, variant = draft.actions
    sent: Any = head.fields
    assert (head.path, sent["configs"][0]["values"]) == ("/products/5", ["S", "L", "XS"])
    assert (variant.path, variant.body) == (
        "/variants/50",
        {"config_attributes": [{"config_name": "Size", "config_value": "XS"}]},
    )
    revert: Any = draft.undoing
    assert revert["arguments"]["configs"] == {"Size": ["S", "L"]}
    assert revert["arguments"]["update_variants"] == [{"variant_id": 50, "config": {"Size": "S"}}]


def test_a_value_that_a_variant_has_goes_by_a_second_request_once_the_variant_has_another() -> None:
    request = _change(configs={"Size": ["XS", "L"]}, update_variants=[{"variant_id": 50, "config": {"Size": "XS"}}])
    first, variant, last = MODIFY.plan(request, _old()).actions
    assert (first.path, variant.path, last.path) == ("/products/5", "/variants/50", "/products/5")
    notes = {"additional_info": "by hand"}
    assert first.body == {"configs": [{"values": ["XS", "L", "S"], "id": 7, "name": "Size"}], **notes}
    assert last.body == {"configs": [{"values": ["XS", "L"], "id": 7, "name": "Size"}], **notes}
    unused = _old(configs=[{"id": 7, "name": "Size", "values": ["S", "L", "M"]}])
    only = MODIFY.plan(_change(configs={"Size": ["S", "L"]}, delete_variant_ids=[]), unused)
    assert len(only.actions) == 1


def test_a_variant_is_named_by_id_or_sku_and_what_no_variant_has_is_refused() -> None:
    for named in (50, "TR-S", " TR-S ", "50"):
        (action,) = MODIFY.plan(_change(update_variants=[{"variant_id": named, "lead_time": 5}]), _old()).actions
        assert (action.path, action.body) == ("/variants/50", {"lead_time": 5})
        assert action.implies == {"config_attributes": SIZE}
    for named in (52, "TR"):
        checks = _summaries(_change(update_variants=[{"variant_id": named, "lead_time": 5}]), _old())
        assert ("unknown_row_id", "update_variants[0].variant_id") in checks
    twin = _old(variants=[SMALL, LARGE | {"sku": "TR-S"}])
    checks = _summaries(_change(delete_variant_ids=["TR-S"]), twin)
    assert ("unknown_row_id", "delete_variant_ids[0]") in checks
    both = _change(update_variants=[{"variant_id": 50, "lead_time": 5}], delete_variant_ids=["TR-S"])
    assert ("duplicate_row_overrides", "delete_variant_ids[0]") in _summaries(both, _old())


def test_the_last_variant_of_an_item_is_not_deleted() -> None:
    assert ("no_rows_left", "delete_variant_ids") in _summaries(_change(delete_variant_ids=[50, 51]), _old())


def test_a_variant_that_is_cached_in_a_newer_version_is_the_one_that_changes() -> None:
    newer = SMALL | {"lead_time": 5, "updated_at": "2026-03-01T09:00:00.000Z"}
    request = _change(update_variants=[{"variant_id": 50, "lead_time": 5}])
    for cached, actions in ((newer, 0), (newer | {"updated_at": "2026-02-01T09:00:00.000Z"}, 1)):
        assert len(MODIFY.plan(request, replace(_old(), beside={"variant": (cached,)})).actions) == actions


def test_no_price_is_taken_away_because_katana_keeps_0_and_barcodes_are_capitals() -> None:
    for price in ("sales_price", "purchase_price"):
        with pytest.raises(ValueError, match=f"{price} cannot be null"):
            _change(update_variants=[{"variant_id": 50, price: None}])
    (action,) = MODIFY.plan(_change(update_variants=[{"variant_id": 50, "internal_barcode": "ab-1c"}]), _old()).actions
    assert action.body == {"internal_barcode": "AB-1C"}
    same = _old(variants=[SMALL | {"internal_barcode": "AB-1C"}, LARGE])
    assert _summaries(_change(update_variants=[{"variant_id": 50, "internal_barcode": "ab-1c"}]), same) == [
        ("no_effective_change", None)
    ]


def test_a_sku_that_others_have_is_told_and_binds_the_plan() -> None:
    request = _change(add_variants=[{"sku": "X", "config": {"Size": "M"}}])
    facts = replace(_old(), own=Used(having={"X": (8,)}))
    assert _summaries(request, facts) == [("duplicate_sku", "add_variants[0].sku")]
    assert MODIFY.plan(request, facts).content != MODIFY.plan(request, replace(_old(), own=Used())).content
    assert "SKU x" in MODIFY.plan(request, facts).lanes


def test_plans_of_the_same_variant_are_applied_in_turn() -> None:
    request = _change(update_variants=[{"variant_id": 50, "lead_time": 5}], delete_variant_ids=[51])
    assert {"product 5", "variant 50", "variant 51"} <= {*MODIFY.plan(request, _old()).lanes}


def test_what_uses_a_product_that_goes_is_told_and_what_does_not_come_back() -> None:
    request = DELETE.request.model_validate({"type": "product", "item_id": 5})
    order = {"id": 9, "order_no": "SO-9", "status": "NOT_SHIPPED"}
    linked = tuple(
        Linked(what=what, count=1, newest=(order,)) for what in ("sales order", "purchase order", "manufacturing order")
    )
    used = Used(products=(70, 71), called=("BIKE", "CART"), made_of=3)
    facts = replace(_old(), linked=linked, own=used)
    draft = DELETE.plan(request, facts)
    messages = {check.code: check.message for check in DELETE.checks(request, facts)}
    assert messages.keys() == {"in_use", "open_orders", "no_way_back"}
    assert "2 products are made of it: BIKE, CART" in messages["in_use"]
    assert "bill of materials (3 rows)" in messages["no_way_back"]
    assert draft.linked == tuple(f"{link.what} SO-9 (NOT_SHIPPED)" for link in linked)
    revert: Any = draft.undoing
    assert revert["tool"] == "create_item"
    assert [row["sku"] for row in revert["arguments"]["variants"]] == ["TR-S", "TR-L"]
    assert draft.content != DELETE.plan(request, replace(facts, own=Used(products=(70,)))).content


def test_what_uses_a_variant_that_goes_is_told_and_binds_the_plan() -> None:
    request = _change(delete_variant_ids=[51])
    orders = (Linked(count=1, newest=({"id": 9, "order_no": "SO-9", "status": "NOT_SHIPPED"},)),)
    facts = replace(_old(), linked=orders, own=Used(products=(70,), called=("BIKE",)))
    assert _summaries(request, facts) == [("in_use", "delete_variant_ids"), ("open_orders", None)]
    draft = MODIFY.plan(request, facts)
    assert draft.linked == ("sales order SO-9 (NOT_SHIPPED)",)
    assert draft.content != MODIFY.plan(request, replace(facts, linked=())).content


def test_an_item_with_custom_fields_on_a_variant_is_not_made_again() -> None:
    request = DELETE.request.model_validate({"type": "product", "item_id": 5})
    fields = [{"field_name": "Tyre", "field_value": "wide"}]
    assert DELETE.plan(request, _old(variants=[SMALL | {"custom_fields": fields}])).revert is None


def test_purchase_prices_are_told_with_the_currency_of_the_supplier() -> None:
    names = Names(
        {
            ("factory", 1): {"id": 1, "base_currency_code": "EUR"},
            ("supplier", 3): {"id": 3, "name": "Nord", "currency": "NOK"},
        }
    )
    facts = replace(_old(default_supplier_id=3, is_purchasable=True), names=names)
    request = _change(update_variants=[{"variant_id": 50, "purchase_price": 5}])
    draft = MODIFY.plan(request, facts)
    assert (draft.currency, draft.linked) == ("EUR", ("purchase prices of supplier Nord are in NOK",))
    sold = _change(update_variants=[{"variant_id": 50, "sales_price": 5}])
    assert MODIFY.plan(sold, facts).linked == ()


def test_a_price_that_becomes_nothing_or_another_by_ten_times_is_told() -> None:
    def warned(*prices: dict[str, object]) -> list[str]:
        return [check.message for check in MODIFY.checks(_change(update_variants=[*prices]), _old())]

    unusual = "0, or more than ten times or less than a tenth of the price now"
    assert warned({"variant_id": 50, "sales_price": 0}, {"variant_id": 51, "sales_price": 90.01}) == [
        f"update_variants[id=50].sales_price: {unusual}: TR-S 9 → 0, TR-L 9 → 90.01"
    ]
    assert warned({"variant_id": 50, "sales_price": 90, "purchase_price": 500}) == []
    assert _summaries(_new(variants=[{"sales_price": 0}]), Facts(), CREATE) == []
