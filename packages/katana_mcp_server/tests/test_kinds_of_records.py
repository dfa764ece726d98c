"""Several kinds of record behind the same tools: their joined arguments, and what a request of a kind comes to."""

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from katana_mcp.documents.declaration import Field, Key, Part, Selector, Writable
from katana_mcp.documents.kinds import joined, kind_in, not_of_its_kind, writes_of_kinds
from katana_mcp.documents.transition import Facts
from katana_mcp.documents.verbs import writes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused
from katana_mcp.writing.preview import Preview

if TYPE_CHECKING:
    from katana_mcp.references.services import Services

KINDS = ("product", "material", "service")
SAYS = {"new": "", "add": "", "update": "", "delete": ""}
VARIANTS = Part(
    name="variants",
    one="variant",
    held="variants",
    says=SAYS,
    most=9,
    needed=True,
    collection="variants",
    fields=(Field("sku", str),),
)
CONFIGS = replace(VARIANTS, name="configs", one="config", held="configs", fields=(Field("name", str),))
NAME = Field("name", str, "Its name.", required=True)
UNIT = Field("uom", str, "Its unit.", required=True)
MADE = Field("is_producible", bool, "Whether it is made.", says_new="Is it made.", required=True)
BARE = Field("batch_tracked", bool)


def doc_of(kind: str, *head: Field, parts: tuple[Part, ...] = (), **words: str) -> Writable:
    """Return the declaration of a kind."""
    return Writable(
        entity=kind,
        noun="item",
        collection=f"{kind}s",
        says_id="Which one.",
        id_kind=int,
        selector=Selector(argument="item_type", value=kind, kinds=KINDS, says="Which kind.", also="type"),
        key=Key(name="name", words="name"),
        head=head,
        parts=parts,
        words=words,
        described=lambda _: f" of {kind}",
        what=dict.fromkeys(("create", "modify", "delete"), ""),
        answers=dict.fromkeys(("create", "modify", "delete"), Preview),
        reads={"modify": (f"{kind}_group", "tax_rate")},
    )


PRODUCT = doc_of("product", NAME, UNIT, MADE, BARE, parts=(VARIANTS, CONFIGS), lines="of a product", rows="first")
MATERIAL = doc_of(
    "material", replace(NAME, says="Another."), UNIT, parts=(VARIANTS,), lines="of a material", more="more"
)
SERVICE = doc_of("service", NAME, Field("price", int, "Its price."))
DOCS = (PRODUCT, MATERIAL, SERVICE)
HINTS = {"configs": "name variants"}
WRITES = writes_of_kinds(DOCS, {"create": " new", "modify": " other"}, HINTS)


def test_arguments_that_few_kinds_have_are_described_with_these() -> None:
    whole = joined(DOCS)
    assert whole.head == (
        NAME,
        replace(UNIT, required=False),
        replace(MADE, says="Whether it is made (product).", says_new="Is it made (product).", required=False),
        replace(BARE, says="(product)"),
        Field("price", int, "Its price (service)."),
    )
    assert whole.parts == (replace(VARIANTS, needed=False), replace(CONFIGS, needed=False))
    assert joined(DOCS[:2]).parts == (VARIANTS, replace(CONFIGS, needed=False))
    assert whole.words == {"lines": "of a product", "more": "more", "rows": "first"}
    assert replace(whole, head=(), parts=(), words={}) == replace(PRODUCT, head=(), parts=(), words={})


def test_what_half_of_the_kinds_have_is_described_with_these_and_what_more_have_is_not() -> None:
    four = (*DOCS, doc_of("tool", NAME, UNIT))
    heads = {field.name: (field.says, field.required) for field in joined(four).head}
    assert (heads["name"], heads["uom"]) == (("Its name.", True), ("Its unit.", False))
    assert heads["price"] == ("Its price (service).", False)
    two = {field.name: field.says for field in joined(DOCS[:2]).head}
    assert (two["uom"], two["is_producible"]) == ("Its unit.", "Whether it is made (product).")
    half = {field.name: field.says for field in joined((*DOCS[:2], SERVICE, doc_of("tool", NAME))).head}
    assert half["uom"] == "Its unit (product, material)."


def test_a_kind_needs_no_selector() -> None:
    plain = replace(PRODUCT, selector=None, head=(MADE,))
    assert [field.says for field in joined((plain, MATERIAL, SERVICE)).head][:1] == ["Whether it is made ()."]
    request = writes(plain)["delete"].request.model_validate({"item_id": 1})
    assert kind_in(plain, request) == ""


def asked(verb: str, **given: object) -> Request:
    """Return a request."""
    return WRITES["modify" if verb == "modify" else "create"].request.model_validate(given)


def test_an_argument_of_another_kind_and_one_that_is_lacking_are_refused() -> None:
    request = asked("create", item_type="service", name="Wash", configs=[{"name": "x"}], uom="h", is_producible=True)
    assert kind_in(joined(DOCS), request) == "service"
    found = not_of_its_kind(joined(DOCS), request, writes(SERVICE)["create"].request, HINTS)
    assert [(one.severity, one.code, one.field_path, one.message) for one in found] == [
        ("blocking", "invalid_argument", name, f"{name}: {message}")
        for name, message in (
            ("configs", "a service has none; name variants"),
            ("is_producible", "a service has none"),
            ("uom", "a service has none"),
        )
    ]
    material = writes(MATERIAL)["create"].request
    lacking = asked("create", item_type="material", name="Wood", uom="m", variants=[])
    (found,) = not_of_its_kind(joined(DOCS), lacking, material, HINTS)
    message = "variants: a new material needs at least one"
    assert (found.severity, found.field_path, found.message) == ("blocking", "variants", message)
    whole = asked("create", item_type="material", name="Wood", uom="m", variants=[{"sku": "W"}], configs=[])
    assert not_of_its_kind(joined(DOCS), whole, material, HINTS) == []


def test_a_request_is_planned_and_checked_as_its_kind_is() -> None:
    own, whole = writes(MATERIAL)["create"], WRITES["create"]
    request = asked("create", item_type="material", name="Wood", variants=[{"sku": "W"}])
    assert whole.plan(request, Facts()) == own.plan(request, Facts())
    assert whole.plan(request, Facts()).summary == "new material Wood of material"
    facts = Facts(taken=(4,))
    assert whole.checks(request, facts) == own.checks(request, facts)
    assert [one.code for one in whole.checks(request, facts)] == ["duplicate_name"]


def test_the_tools_of_all_kinds_are_one_for_each_verb() -> None:
    assert list(WRITES) == ["create", "modify"]
    assert [(WRITES[verb].what, WRITES[verb].answer, WRITES[verb].renumbered) for verb in ("create", "modify")] == [
        (" new", Preview, None),
        (" other", Preview, None),
    ]
    assert WRITES["create"].request.__name__ == "CreateItemRequest"
    assert WRITES["create"].reads == KINDS
    assert WRITES["modify"].reads == (
        "product",
        "product_group",
        "tax_rate",
        "material",
        "material_group",
        "service",
        "service_group",
    )


async def test_a_misfit_is_refused_before_anything_is_read() -> None:
    request = asked("modify", item_type="material", item_id=1, price=5)
    services = cast("Services", SimpleNamespace())
    with pytest.raises(Refused) as refusal:
        await WRITES["modify"].gather(request, services)
    assert [one.message for one in refusal.value.warnings] == ["price: a material has none"]
    with pytest.raises(AttributeError):
        await WRITES["modify"].gather(asked("modify", item_type="service", item_id=1, price=5), services)
