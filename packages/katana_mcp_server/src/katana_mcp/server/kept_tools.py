"""Our own tools as they are listed, kept beside the code: what they do is loaded when one of them is called.

To load it, and to make schemas of its models, costs most of a start. `python -m scripts.render_schemas` writes what
is kept; a test holds it to the tools.
"""

import json
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from katana_mcp.surface.descriptor import AnyTool, ListedTool

KEPT = Path(__file__).with_name("kept_tools.json")

_loading = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTool(ListedTool):
    """One of our own tools.

    Attributes:
        made_as: the name of it that the code has, which an operator may change.
        arguments: the schema of what it takes.
        output: the schema of its answers.
    """

    made_as: str
    arguments: dict[str, Any]
    output: dict[str, Any]

    def spec(self) -> AnyTool:
        """Return what it does; the first of our tools that is asked loads it for all of them."""
        with _loading:
            # Entities and workflows, 18 MB: many a server is started with its host and never called.
            from katana_mcp.server.made_tools import by_name  # noqa: PLC0415

            return by_name()[self.made_as]


@cache
def kept_tools() -> tuple[KeptTool, ...]:
    """Return our tools, in the order in which they are listed."""
    return tuple(_read(kept) for kept in _kept()["tools"])


@cache
def kept_absent() -> dict[str, str]:
    """Return why tools are not there that somebody may look for, and what there is instead, by their names."""
    absent: dict[str, str] = _kept()["absent"]
    return absent


def as_kept(spec: AnyTool, arguments: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    """Return a tool as it is kept; what is as usual is left out."""
    tool = KeptTool(
        **{field.name: getattr(spec, field.name) for field in fields(ListedTool)},
        made_as=spec.name,
        arguments=arguments,
        output=output,
    )
    usual = {field.name: field.default for field in fields(KeptTool)} | {"made_as": spec.name}
    return {name: value for name, value in asdict(tool).items() if value != usual[name]}


def _read(kept: dict[str, Any]) -> KeptTool:
    values: dict[str, Any] = {"made_as": kept["name"], **kept}
    if "reads" in kept:
        values["reads"] = tuple(kept["reads"])
    return KeptTool(**values)


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8"))
    return kept
