"""Custom fields: the row of the tool that plans to define them."""

from katana_sandbox import Tenant

from .writes import Arguments, Record, Spoil, Write, gone

DEFINITIONS = "custom_field_definitions"


def _define(tenant: Tenant, text: str) -> Record:
    """Return a new field of sales orders with two choices."""
    body: Arguments = {"label": f"Field {text}", "field_type": "singleSelect", "entity_type": "SalesOrder"}
    choices = [{"label": "Red"}, {"label": "Blue"}]
    return tenant.create(DEFINITIONS, {**body, "source": "katana", "options": {"choices": choices}})


def _changed(_: Tenant, text: str, __: Record) -> Arguments:
    return {"label": f"Colour {text}", "description": "Of the frame", "choices": ["Blue", "Green"]}


def _take_the_label(tenant: Tenant, _: Record, arguments: Arguments) -> None:
    other: Arguments = {"label": arguments["label"], "field_type": "url", "entity_type": "SalesOrder"}
    tenant.create(DEFINITIONS, {**other, "source": "katana"})


FIELDS = {
    "define_custom_field": Write(
        collection=DEFINITIONS,
        usual=_changed,
        subject="field",
        make=_define,
        spoils={
            "the field is deleted": gone(DEFINITIONS),
            "somebody gives another field the label": Spoil(act=_take_the_label, code="duplicate_name"),
            "somebody sets what is asked for": Spoil(
                act=lambda tenant, field, _: tenant.edit(DEFINITIONS, field["id"], description="Of the frame"),
                code="no_effective_change",
                asks=lambda *_: {"description": "Of the frame"},
            ),
        },
    )
}
