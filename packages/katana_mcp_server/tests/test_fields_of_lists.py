"""A list reads of a record what its rows are made of, and nothing else: each view names it, and names no more."""

from collections.abc import Callable, Sequence
from typing import Any, cast, override

import pytest

from katana_mcp.entities import ENTITIES
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Entity, View
from katana_mcp.surface.operations import list as listing
from katana_mcp.surface.operations.rows import Sourced, read_of, to_answers
from katana_mcp.testing import Stage
from katana_mcp.tools.answers import Answer

LISTED = [entity for entity in ENTITIES if entity.list_request is not None]


class Watched(dict[str, Any]):
    """A record that notes which of its paths are read."""

    def __init__(self, record: dict[str, Any], read: set[str], stem: str = "") -> None:
        super().__init__({name: _watched(value, read, f"{stem}{name}[].") for name, value in record.items()})
        self._read = read
        self._stem = stem

    @override
    def get(self, key: object, default: Any = None, /) -> Any:
        self._note(key)
        return super().get(cast("str", key), default)

    @override
    def __getitem__(self, key: str) -> Any:
        self._note(key)
        return super().__getitem__(key)

    @override
    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)

    def _note(self, key: object) -> None:
        if super().__contains__(key):
            self._read.add(f"{self._stem}{key}")


def _watched(value: object, read: set[str], stem: str) -> object:
    if not isinstance(value, list):
        return value
    rows = cast("list[object]", value)
    return [Watched(cast("dict[str, Any]", row), read, stem) if isinstance(row, dict) else row for row in rows]


def _whole(_: View) -> None:
    """Have whole records read."""


def views_of(entity: Entity) -> dict[str, View]:
    """Return how rows of a list look that nobody asked to be different, by their cache entity."""
    if entity.listing is not None:
        assert entity.list_request is not None
        return dict(entity.listing(entity.list_request()))
    return {source: entity.view(source) for source in entity.sources}


@pytest.mark.parametrize("entity", LISTED, ids=lambda entity: entity.plural)
async def test_what_a_row_is_made_of_is_named_and_nothing_else(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, entity: Entity
) -> None:
    read: dict[str, set[str]] = {}

    async def watching(view: Callable[[str], View], rows: Sequence[Sourced], services: Services) -> list[Answer]:
        return await to_answers(
            view,
            [
                (source, row._replace(record=Watched(dict(row.record), read.setdefault(source, set[str]()))))
                for source, row in rows
            ],
            services,
        )

    monkeypatch.setattr(listing, "to_answers", watching)
    monkeypatch.setattr(listing, "read_of", _whole)
    await stage.call(f"list_{entity.plural}", limit=250)
    assert read
    own = {path.partition("[]")[0] for source in read for path in views_of(entity)[source].reads or ()}
    assert own <= {path for paths in read.values() for path in paths}
    for source, paths in read.items():
        named = read_of(views_of(entity)[source])
        assert named is not None
        heads = {path.partition("[]")[0] for path in named}
        assert {path for path in paths if "[]" not in path} <= heads
        assert {path for path in paths if "[]" in path and path.partition("[]")[0] not in named} <= named


@pytest.mark.parametrize("entity", LISTED, ids=lambda entity: entity.plural)
async def test_rows_of_what_was_read_are_rows_of_whole_records(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, entity: Entity
) -> None:
    pages = [{"limit": 250}, {"limit": 20, "page": 2}]
    shown = [await stage.call(f"list_{entity.plural}", **page) for page in pages]
    monkeypatch.setattr(listing, "read_of", _whole)
    assert shown == [await stage.call(f"list_{entity.plural}", **page) for page in pages]
    assert shown[0]["rows"]
