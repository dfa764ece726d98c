"""One exchange with the API's description: what is asked, drawn from the tenant's data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from katana_sandbox import Tenant

type Settings = dict[str, bool | int | str]


@dataclass(frozen=True)
class Step:
    """One exchange: the path's id, the query and the body, each from the tenant's data."""

    find: Callable[[Tenant], object] | None = None
    body: Callable[[Tenant], object] | None = None
    query: tuple[tuple[str, str], ...] = ()
    settings: Settings = field(default_factory=dict)
    empty: bool = False


def first(name: str, key: str = "id", **wanted: object) -> Callable[[Tenant], object]:
    """The id of the first live record with these values, or another of its members."""

    def find(tenant: Tenant) -> object:
        return next(
            row[key]
            for row in tenant.all(name)
            if not row.get("deleted_at") and not row.get("archived_at") and wanted.items() <= row.items()
        )

    return find


def given(value: dict[str, Any]) -> Callable[[Tenant], object]:
    """A body that needs no data."""
    return lambda _tenant: value
