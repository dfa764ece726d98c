"""What a collection is as data: its spec, the body of a change, and the attribute of a client."""

from collections.abc import Mapping
from typing import ClassVar

import pytest

from katana_client.abilities import ABILITIES
from katana_client.collection import Bound, Collection, Spec, spec_of
from katana_client.errors import InvalidRequest
from katana_client.filters import Filters
from katana_client.resources.variants import Variants
from katana_client.testing import FakeClient, reply
from katana_client.wire import ReadModel, WriteModel


class Thing(ReadModel):
    """A thing as read."""

    id: int | None = None
    name: str | None = None
    additional_info: str | None = None


class New(WriteModel):
    """A thing as it is made."""

    name: str | None = None


class Many(WriteModel):
    """Many things as they are made."""

    rows: list[New] | None = None


class Renaming(WriteModel):
    """A change without notes."""

    name: str | None = None


class Change(WriteModel):
    """A change with notes."""

    name: str | None = None
    additional_info: str | None = None


@pytest.mark.parametrize("name", ["variants", "bom_rows", "batches", "customers", "webhooks", "factory"])
def test_a_collection_has_the_bodies_it_is_given_and_the_abilities_of_its_name(name: str) -> None:
    known = ABILITIES[name]
    spec = spec_of(name, Thing, New, Change, bulk=Many, key=("id", "name"))
    assert spec == Spec(
        name,
        Thing,
        New,
        Many,
        Change,
        known.deletes,
        known.lists,
        known.gets,
        known.uuid,
        ("id", "name"),
        ("additional_info",),
        known.filters,
        known.get_filters,
    )
    assert spec.path == f"/{name}"


def test_the_chosen_names_differ_in_every_ability() -> None:
    chosen = [ABILITIES[name] for name in ("variants", "bom_rows", "batches", "customers", "webhooks", "factory")]
    assert {known.deletes for known in chosen} == {known.lists for known in chosen} == {True, False}
    assert {known.uuid for known in chosen} == {True, False}
    assert {known.gets for known in chosen} >= {"path", "id", "ids", None}
    assert any(known.filters != Filters() for known in chosen)
    assert any(known.get_filters != Filters() for known in chosen)


def test_a_collection_without_bodies_keeps_nothing_and_its_rows_have_an_id() -> None:
    spec = spec_of("variants", Thing)
    assert (spec.create, spec.bulk, spec.update, spec.key, spec.keeps) == (None, None, None, ("id",), ())
    assert spec_of("variants", Thing, New, Renaming).keeps == ()


PLAIN = Spec("things", Thing)


def test_a_collection_can_be_listed_and_nothing_else_unless_it_is_said() -> None:
    assert Spec("things", Thing, None, None, None, False, True, None, False, ("id",), (), Filters(), Filters()) == PLAIN


KEEPING = Spec("things", Thing, keeps=("additional_info", "name"))


@pytest.mark.parametrize(
    ("change", "keep", "body"),
    [
        (Change(name="a"), None, {"name": "a"}),
        (Change(name="a"), {}, {"name": "a"}),
        (Change(name="a"), {"additional_info": "i", "id": 7, "name": "b"}, {"additional_info": "i", "name": "a"}),
        (Change(name="a"), {"additional_info": ""}, {"name": "a"}),
        (Change(name=None), {"name": "b"}, {"name": None}),
        (Change(additional_info=None), {"additional_info": "i", "name": "b"}, {"name": "b", "additional_info": None}),
        (Change(name="a"), Thing(id=7, additional_info="i"), {"additional_info": "i", "name": "a"}),
        (Change(name="a"), Thing(id=7), {"name": "a"}),
        (Change(name="a"), Thing(), {"name": "a"}),
    ],
    ids=["unknown", "empty", "row", "blank", "null", "notes set", "record", "record without notes", "empty record"],
)
def test_a_change_takes_along_the_values_that_it_would_wipe(
    change: Change, keep: ReadModel | Mapping[str, object] | None, body: dict[str, object]
) -> None:
    given = KEEPING.patch(change, keep)
    assert given == body
    assert list(given) == list(body)


@pytest.mark.parametrize("keep", [None, {"additional_info": "i"}], ids=["unknown", "known"])
def test_a_change_of_nothing_is_refused(keep: Mapping[str, object] | None) -> None:
    with pytest.raises(InvalidRequest) as raised:
        KEEPING.patch(Change(), keep)
    assert str(raised.value) == "nothing to change in things: set at least one field"


def test_a_collection_is_an_attribute_of_whoever_can_send() -> None:
    class Api(FakeClient):
        """A client with one more collection."""

        mine: ClassVar[Bound[Collection]] = Bound("variants", "Variants")

    assert isinstance(Api.mine, Bound)
    assert (Api.mine.kind, Api.mine.kind) == (Variants, Variants)
    client = Api(lambda _: reply([]))
    assert type(client.variants) is Variants
    assert client.variants.sender is client.sender
