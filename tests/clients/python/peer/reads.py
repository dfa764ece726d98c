"""Calls every GET of the foreign client, with each parameter alone; prints one JSON line for each call."""

import datetime
import enum
import importlib
import inspect
import json
import os
import pkgutil
import sys
import types
import typing
import uuid
from collections.abc import Iterator

import httpx
import katana_public_api_client.api as api
from katana_public_api_client.client import AuthenticatedClient

PAGES = {"limit": 5, "page": 1}


def say(result: dict[str, object]) -> None:
    """A line for the judge."""
    sys.stdout.write(json.dumps(result) + "\n")


def operations() -> Iterator[tuple[types.ModuleType, str]]:
    """Each module of the client that sends a GET, with its path."""
    for package in pkgutil.iter_modules(api.__path__):
        folder = importlib.import_module(f"{api.__name__}.{package.name}")
        for module in pkgutil.iter_modules(folder.__path__):
            found = importlib.import_module(f"{folder.__name__}.{module.name}")
            source = inspect.getsource(found._get_kwargs)  # noqa: SLF001 - the client names its paths nowhere else
            if '"method": "get"' in source:
                yield found, source.split('"url": "')[1].split('"')[0]


def plain(annotation: object) -> object:
    """The first type of an annotation that is no absence."""
    parts = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    return next(part for part in parts if getattr(part, "__name__", "") not in {"Unset", "NoneType"})


def samples(name: str, annotation: object, ids: list[object]) -> list[object]:
    """Values that a parameter may have."""
    kind = plain(annotation)
    if typing.get_origin(kind) is list:
        inner = typing.get_args(kind)[0]
        return [[value] for value in samples(name, inner, ids)]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return list(kind)
    if typing.get_origin(kind) is typing.Literal:
        return list(typing.get_args(kind))
    table = {
        bool: [True, False],
        int: [PAGES[name]] if name in PAGES else ids,
        float: [1.0],
        datetime.datetime: [datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)],
        datetime.date: [datetime.date(2026, 1, 1)],
        uuid.UUID: ids,
    }
    return table.get(kind, ["x"])


def ids_of(base: str, path: str, key: str) -> list[object]:
    """Ids that the path takes: the first of its list."""
    listed = path.partition("/{")[0]
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx.get(base + listed, params={"limit": 5}, headers=headers)
    body = answer.json() if answer.status_code == 200 else []
    rows = body.get("data", []) if isinstance(body, dict) else body
    found = [row["id"] for row in rows if isinstance(row, dict) and "id" in row]
    return found[:5]


def main() -> None:
    """Every call, and what became of it."""
    base, key = os.environ["KATANA_BASE_URL"], os.environ["KATANA_API_KEY"]
    client = AuthenticatedClient(base_url=base, token=key)
    for module, path in operations():
        signature = inspect.signature(module.sync_detailed)
        parameters = {name: one for name, one in signature.parameters.items() if name != "client"}
        ids = ids_of(base, path, key)
        hints = typing.get_type_hints(module.sync_detailed)
        needed = {n for n, one in parameters.items() if one.default is inspect.Parameter.empty}
        if "{" in path and not ids:
            say({"path": path, "skipped": "there is none"})
            continue
        if needed and "{" not in path:
            firsts = {"variant_id": "variants", "location_id": "locations"}
            fixed = [{name: ids_of(base, "/" + firsts[name], key)[0] for name in needed}]
        else:
            fixed = [dict.fromkeys(needed, value) for value in ids] if needed else [{}]
        calls = list(fixed)
        for name in parameters.keys() - needed:
            calls += [{**fixed[0], name: value} for value in samples(name, hints[name], ids[:2] or [10000101])]
        for arguments in calls:
            result = {"path": path, "arguments": {name: str(value) for name, value in arguments.items()}}
            try:
                answer = module.sync_detailed(client=client, **arguments)
                result |= {"status": int(answer.status_code), "parsed": type(answer.parsed).__name__}
            except Exception as problem:  # noqa: BLE001 - each is a result
                result |= {"problem": f"{type(problem).__name__}: {problem}"[:300]}
            say(result)


main()
