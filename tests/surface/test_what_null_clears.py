"""What null cannot clear, as it was accepted: arguments of each tool that writes, and of the rows it takes."""

from collections.abc import Iterator
from typing import TypeAliasType, get_args

from pydantic import BaseModel
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from katana_mcp.server.made_tools import tools
from katana_mcp.tools.requests import WriteRequest


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    if isinstance(annotation, TypeAliasType):
        yield from _models(annotation.__value__)
    for part in get_args(annotation):
        yield from _models(part)


def _kept(model: type[BaseModel], place: str) -> Iterator[tuple[str, list[str]]]:
    if issubclass(model, WriteRequest):
        yield place, sorted(model.never_null)
    for name, field in model.model_fields.items():
        for inner in _models(field.annotation):
            yield from _kept(inner, f"{place}.{name}")


def test_what_null_cannot_clear_is_as_it_was_accepted(snapshot: SnapshotAssertion) -> None:
    kept = dict(found for tool in tools() for found in _kept(tool.request, tool.name) if found[1])
    assert kept == snapshot(extension_class=JSONSnapshotExtension)
