"""What varies by collection, as data, and how a collection becomes an attribute of the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Self, cast, overload
from uuid import UUID

from katana_client.abilities import ABILITIES
from katana_client.errors import InvalidRequest
from katana_client.filters import Filters

if TYPE_CHECKING:
    from katana_client.sending import Sender
    from katana_client.wire import ReadModel, WriteModel

NOTES = "additional_info"
"""What Katana wipes when a PATCH leaves it out; of some collections that is not known, so it is kept there too."""

type Identity = int | str | UUID


@dataclass(frozen=True, slots=True)
class Spec:
    """Everything that varies by collection (facts 1.13, 2, 3).

    Attributes:
        name: Path segment and attribute of the client.
        model: The read model.
        create: The body of POST, None when Katana has none.
        bulk: The body of a POST that creates many rows at once, instead of `create`.
        update: The body of PATCH, None when Katana has none.
        deletes: Whether DELETE exists.
        lists: Whether GET of the collection exists.
        gets: How one record is read: by its own path, through the listing with a filter on ids, or not at
            all.
        uuid: Whether ids are UUIDs.
        key: The fields that identify a row.
        keeps: Fields that a PATCH wipes when they are left out, so `update` sends them along.
        filters: What the listing can be narrowed by, besides `limit` and `page`.
        get_filters: Parameters of GET by id.
    """

    name: str
    model: type[ReadModel]
    create: type[WriteModel] | None = None
    bulk: type[WriteModel] | None = None
    update: type[WriteModel] | None = None
    deletes: bool = False
    lists: bool = True
    gets: Literal["path", "ids", "id", "recipe_row_id", "product_operation_row_id"] | None = None
    uuid: bool = False
    key: tuple[str, ...] = ("id",)
    keeps: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)
    get_filters: Filters = field(default_factory=Filters)

    @property
    def path(self) -> str:
        """Path of the collection."""
        return f"/{self.name}"

    def patch(self, change: WriteModel, keep: ReadModel | Mapping[str, object] | None = None) -> dict[str, object]:
        """Return the body of a PATCH: what `change` sets, and the values in `keep` of the fields that it would wipe.

        Raises:
            InvalidRequest: Nothing is set.
        """
        body = change.wire()
        if not body:
            message = f"nothing to change in {self.name}: set at least one field"
            raise InvalidRequest(message)
        current = keep or {}
        values = current if isinstance(current, Mapping) else vars(current)
        kept = {name: values[name] for name in self.keeps if name not in body and values.get(name)}
        return {**kept, **body}


def spec_of(  # noqa: PLR0913 - what a collection is, said once
    name: str,
    model: type[ReadModel],
    create: type[WriteModel] | None = None,
    update: type[WriteModel] | None = None,
    *,
    bulk: type[WriteModel] | None = None,
    key: tuple[str, ...] = ("id",),
) -> Spec:
    """Return the spec of a collection, by what the API can do with it; notes are kept where an update has them."""
    abilities = ABILITIES[name]
    return Spec(
        name=name,
        model=model,
        create=create,
        bulk=bulk,
        update=update,
        deletes=abilities.deletes,
        lists=abilities.lists,
        gets=abilities.gets,
        uuid=abilities.uuid,
        key=key,
        keeps=(NOTES,) if update is not None and NOTES in update.model_fields else (),
        filters=abilities.filters,
        get_filters=abilities.get_filters,
    )


class Collection:
    """A collection and who sends its calls.

    Attributes:
        spec: Everything that varies by collection.
        sender: Sends the calls.
    """

    spec: Spec

    def __init__(self, sender: Sender) -> None:
        self.sender = sender


class HasSender:
    """Something that can send.

    Attributes:
        sender: Sends the calls.
    """

    sender: Sender


class Bound[R: Collection]:
    """A collection as an attribute of the client; its module is imported when it is first asked for.

    To import all of them takes some 150 ms, and hardly a program needs a third.

    Args:
        module: Where the resource class is, below `katana_client.resources`.
        name: Of the class.
    """

    def __init__(self, module: str, name: str) -> None:
        self._place = (f"katana_client.resources.{module}", name)

    @cached_property
    def kind(self) -> type[R]:
        """The resource class."""
        module, name = self._place
        return cast("type[R]", getattr(import_module(module), name))

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: HasSender, owner: type) -> R: ...

    def __get__(self, client: HasSender | None, owner: type) -> Self | R:
        return self if client is None else self.kind(client.sender)
