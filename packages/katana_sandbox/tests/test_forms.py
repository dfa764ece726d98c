"""What the sheets know of bodies, held against the facts that it is laid over."""

import pytest

from katana_sandbox import ManualClock, Sandbox
from katana_sandbox.wire.body_forms import form
from katana_sandbox.wire.errors import Refused
from katana_schema.forms import read_sheet
from katana_schema.reading import read_facts


def test_every_schema_of_the_sheet_is_one_of_the_facts_or_named_in_the_sheet() -> None:
    tables = {name: table for name, table in read_sheet().items() if name != "bodies" and not isinstance(table, str)}
    kinds = " ".join(kind for table in tables.values() for kind in table)
    assert len(tables) > 100
    assert [name for name in tables if name not in read_facts().schemas and f"[{name}]" not in kinds] == []


def test_every_body_of_the_facts_has_a_form() -> None:
    for name, operation in read_facts().operations.items():
        if operation.body is not None:
            assert form(name).kind in {"object", "array"}, name


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        ({"name": "", "currency": "EUR"}, "minLength", "/name"),
        ({"name": "Neu", "phone": "0" * 31}, "maxLength", "/phone"),
        ({"name": "Neu", "addresses": [{"supplier_id": 1}]}, "additionalProperties", "/addresses/0"),
        ({"currency": "EUR"}, "required", ""),
    ],
)
def test_a_bound_that_only_the_sheet_knows_is_held(body: dict[str, object], code: str, path: str) -> None:
    with pytest.raises(Refused) as refused:
        Sandbox(clock=ManualClock()).tenant().create("suppliers", body)
    assert [(detail["code"], detail["path"]) for detail in refused.value.details or []] == [(code, path)]


def test_null_takes_nothing_back_of_a_field_that_the_facts_alone_describe() -> None:
    with pytest.raises(Refused, match="422"):
        Sandbox(clock=ManualClock()).tenant().create("variants", {"sku": "X-1", "custom_fields": None})


def test_a_body_that_the_facts_do_not_know_is_not_found() -> None:
    with pytest.raises(Refused, match="404"):
        form("POST /unicorns")
