"""What a command of `katana-mcp` wrote, and how it ended."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended and what it wrote."""

    code: object
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        """What it wrote for programs."""
        return json.loads(self.out)

    def entity(self, name: str) -> dict[str, Any]:
        """What it wrote of one entity."""
        return next(entity for entity in self.data["entities"] if entity["entity"] == name)


type Run = Callable[..., Ran]
