"""Everything that an account holds, and whether what became different is what a preview named."""

import json
import re
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any, cast

from katana_mcp.testing import Payload
from katana_mcp.writing.preview import value_in_words
from katana_sandbox import Tenant

from .alike import alike
from .forms import FLAGGED, ONE_ENTRY, as_requested
from .writes import Write

type Held = Mapping[str, Mapping[object, bytes]]
"""Records as they are stored, by collection and key; none of them is put together from others."""
type Field = tuple[str, object, str]
"""Collection and key of a record, and a name in it."""
type Line = tuple[object, object, object, object]
"""Id of a part that is there, variant, quantity and price."""
type OldAndNew = tuple[object, object]
"""Old and new value."""
OWN = {"id", "created_at", "updated_at", "deleted_at"}
"""Comes by itself with every record."""
GOODS = {"bom_rows": "ingredient_variant_id"}
"""What a row is of, where it says that under another name."""
AT_APPLY = "when it is applied"
"""What a preview says of a moment that Katana fills in."""
_LISTED = re.compile(r"\w+ ([0-9]+): (\w+)")
_PART = re.compile(r"(\w+)\[(?:id=)?([\w-]+)\]\.(\w+)")
_NEW = re.compile(r"(\w+)\[(\d+)\]")


def held(tenant: Tenant, left_out: frozenset[str] = frozenset()) -> Held:
    """Return everything that the account holds but these collections."""
    db = tenant.db
    kept: dict[str, dict[object, bytes]] = {
        name: {store.keys[slot]: store.raw(slot) for slot in store.by_created} for name, store in db.stores.items()
    }
    kept |= {"inventory": {"": db.levels.saved()}, "inventory_movements": {**db.movements.saved()}}
    for name, (beside, owner) in ONE_ENTRY.items():
        kept[name] = _with_entries(name, kept[name], kept.pop(beside), owner)
    kept |= {name: _flagged(name, kept[name]) for name in FLAGGED}
    return {name: records for name, records in kept.items() if name not in left_out}


def _flagged(name: str, records: Mapping[object, bytes]) -> dict[object, bytes]:
    """Return records with a flag where they say since when they are archived."""
    own = {key: as_requested(name, json.loads(raw)) for key, raw in records.items()}
    return {
        key: json.dumps({field: value for field, value in record.items() if field != "archived_at"}).encode()
        for key, record in own.items()
    }


def _with_entries(
    name: str, records: Mapping[object, bytes], entries: Mapping[object, bytes], owner: str
) -> dict[object, bytes]:
    """Return records with what their one entry holds, under the names of requests."""
    found = {entry[owner]: entry for entry in map(json.loads, entries.values())}
    whole = {key: json.loads(raw) for key, raw in records.items()}
    own = {key: as_requested(name, {**record, "variants": [found[key]]}) for key, record in whole.items()}
    apart = {"variants", "archived_at"}
    return {
        key: json.dumps({field: value for field, value in record.items() if field not in apart}).encode()
        for key, record in own.items()
    }


def proves_named(write: Write, preview: Payload, before: Held, after: Held) -> None:
    """Assert that what differs is what the preview said, and nothing else."""
    changed = {pair for pair in _changed(before, after) if not _follows(write, *pair, before, after)}
    assert {name for name, _ in changed} <= {write.collection, *write.parts.values(), *write.listed}, changed
    (key,) = [preview["id"]] if "id" in preview else _added(before, after, write.collection)
    assert {record_key for name, record_key in changed if name == write.collection} <= {key}, changed
    deletion = ("DELETE", f"/{write.collection}/{key}")
    goes = deletion in {(request["method"], request["path"]) for request in preview["requests"]}
    assert bool(_record(before, write.collection, key)) is (write.make is not None)
    assert bool(_record(after, write.collection, key)) is not goes
    if write.lined:
        _proves_lines(write, preview, before, after, goes=goes)
    _proves_listed(write, preview, before, after)
    if "id" in preview and not goes:
        _proves_fields(write, dict(_said(write, preview, key, before, after)), before, after)


def _follows(write: Write, collection: str, key: object, before: Held, after: Held) -> bool:
    """Return whether Katana alone changed a record that was there: its stock, or what it is worth."""
    old, new = _record(before, collection, key), _record(after, collection, key)
    names = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    return bool(old and new) and names <= write.derived | OWN


def _proves_fields(write: Write, said: Mapping[Field, OldAndNew], before: Held, after: Held) -> None:
    """Assert that each field that differs was named, with its old and new value, and no other was."""
    differing = {field for field in _differing(before, after) if field[2] not in write.derived}
    shown = {*write.lined, *write.listed}
    differing -= {field for field in differing if field[0] in shown and _comes_or_goes(*field[:2], before, after)}
    named = {field for field, (old, new) in said.items() if field[2] not in write.derived and not alike(old, new)}
    assert differing == named, (differing - named, named - differing)
    for (collection, key, name), words in said.items():
        real = [_record(state, collection, key).get(name) for state in (before, after)]
        for word, value in zip(words, real, strict=True):
            meant = [value, *_words(write, name, value, before), *([AT_APPLY] if name in write.moments else ())]
            assert any(alike(word, value_in_words(meaning)) for meaning in meant), (collection, key, name, words, real)


def _words(write: Write, name: str, value: object, before: Held) -> list[object]:
    """Return what a record is called whose id is in a field, custom fields by their labels, options as pairs."""
    if name == "config_attributes" and isinstance(value, list):
        pairs = cast("list[dict[str, object]]", value)
        return ["; ".join(f"{pair['config_name']}: {pair['config_value']}" for pair in pairs)]
    if name == "configs" and isinstance(value, list):
        options = cast("list[dict[str, Any]]", value)
        return ["; ".join(f"{option['name']}: {', '.join(option['values'])}" for option in options)]
    if name == "custom_fields" and isinstance(value, dict):
        labels = {key: json.loads(raw)["label"] for key, raw in before["custom_field_definitions"].items()}
        return [{labels[key]: entry for key, entry in cast("dict[str, object]", value).items()}]
    named = json.loads(before[write.words[name]].get(value, b"{}")) if name in write.words else {}
    return [named[field] for field in ("name", "sku") if named.get(field)]


def proves_told(preview: Payload, record: Mapping[str, Any]) -> None:
    """Assert that what Katana works out by itself is what the preview said of it: what it comes to, and in what."""
    if record["deleted_at"]:
        return
    shown = {name: preview[name] for name in ("status", "total", "currency") if name in preview and name in record}
    wrong = {name: value for name, value in shown.items() if not _close(_plain(value), _plain(record[name]))}
    assert wrong == {}, record


def _plain(value: object) -> object:
    if isinstance(value, str) and value.removeprefix("-").replace(".", "", 1).isdecimal():
        return float(value)
    return value


def _comes_or_goes(collection: str, key: object, before: Held, after: Held) -> bool:
    return bool(_record(before, collection, key)) is not bool(_record(after, collection, key))


def _proves_lines(write: Write, preview: Payload, before: Held, after: Held, *, goes: bool) -> None:
    """Assert that the parts which come and go are the lines of the preview that say so."""
    unmatched = {"add": list[Line](), "delete": list[Line]()}
    usual = "add" if "id" not in preview else "delete" if goes else ""
    for line in preview.get("lines", ()):
        change = line.get("change", usual)
        if change in unmatched and not (write.listed and _is_listed(line)):
            unmatched[change].append(
                (line.get("row_id"), line.get("variant_id"), line.get("quantity"), line.get("price"))
            )
    for collection, price in write.lined.items():
        for _, key in [pair for pair in _changed(before, after) if pair[0] == collection]:
            if _comes_or_goes(collection, key, before, after):
                old, new = _record(before, collection, key), _record(after, collection, key)
                part, change = old or new, "delete" if old else "add"
                real = (
                    key if old else None,
                    part.get(GOODS.get(collection, "variant_id")),
                    part.get("quantity"),
                    part.get(price),
                )
                open_price = (*real[:3], None) if price in write.derived else real  # Katana fills in what nobody says
                match = next((line for line in unmatched[change] if _is(line, real) or _is(line, open_price)), None)
                assert match is not None, (change, real, unmatched)
                unmatched[change].remove(match)
    # What hangs on a group of costs, Katana leaves there when the whole order goes.
    assert usual == "delete" or unmatched == {"add": [], "delete": []}, unmatched


def _is_listed(line: Mapping[str, Any]) -> bool:
    """Return whether a line is of a part that has a name alone."""
    return "name" in line and "variant_id" not in line


def _proves_listed(write: Write, preview: Payload, before: Held, after: Held) -> None:
    """Assert that the lines which have a name alone are those of the parts that come, go or change, by their names."""
    lines = [line for line in preview.get("lines", ()) if _is_listed(line) and line.get("change")]
    for collection, name in write.listed.items():
        for _, key in [pair for pair in _changed(before, after) if pair[0] == collection]:
            old, new = _record(before, collection, key), _record(after, collection, key)
            change = "delete" if not new else "update" if old else "add"
            called = str((new or old)[name])
            match = next((line for line in lines if line["change"] == change and called in line["name"]), None)
            assert match is not None, (change, called, lines)
            lines.remove(match)
    assert not write.listed or lines == [], lines


def _is(line: Line, real: Line) -> bool:
    """Return whether a line is this part; of a whole document its id may be left out."""
    return line[0] in {None, real[0]} and all(map(_close, line[1:], real[1:]))


def _close(shown: object, real: object) -> bool:
    """Return whether two values are the same but for decimals that Katana does not keep."""
    if isinstance(shown, int | float) and isinstance(real, int | float):
        return isclose(shown, real, abs_tol=1e-9)
    return alike(shown, real)


def _changed(before: Held, after: Held) -> Iterator[tuple[str, object]]:
    """Yield the records that were added, removed or changed."""
    for name, records in after.items():
        if before[name] != records:
            keys = before[name].keys() | records.keys()
            yield from ((name, key) for key in keys if before[name].get(key) != records.get(key))


def _added(before: Held, after: Held, collection: str) -> list[object]:
    """Return the keys of new records, oldest first."""
    return [key for key in after[collection] if key not in before[collection]]


def _record(all: Held, collection: str, key: object) -> dict[str, Any]:
    """Return a record; nothing where it is deleted or not there."""
    record = json.loads(all[collection].get(key, b"{}"))
    return {} if record.get("deleted_at") else record


def _differing(before: Held, after: Held) -> Iterator[Field]:
    """Yield the fields whose value means something else now."""
    for collection, key in _changed(before, after):
        old, new = _record(before, collection, key), _record(after, collection, key)
        lost = {name: value for name, value in old.items() if new or value != []}  # with an empty list nothing goes
        names = (lost.keys() | new.keys()) - OWN
        yield from ((collection, key, name) for name in names if not alike(lost.get(name), new.get(name)))


def _said(write: Write, preview: Payload, key: object, before: Held, after: Held) -> Iterator[tuple[Field, OldAndNew]]:
    """Yield each change of a preview; a place among new parts is the id that the part got."""

    def part(argument: str, number: str) -> tuple[str, object]:
        collection = write.parts[argument]
        own = int(number) if number.isdecimal() else number
        return collection, own if own in before[collection] else _added(before, after, collection)[int(number)]

    for change in preview.get("changes", ()):
        found, names_new = _PART.fullmatch(change["field"]), _NEW.fullmatch(change.get("new") or "")
        new = str(part(*names_new.groups())[1]) if names_new else change.get("new")
        where = (*part(found[1], found[2]), found[3]) if found else (write.collection, key, change["field"])
        if listed := _LISTED.fullmatch(change["field"]):
            (collection,) = write.listed
            where = collection, int(listed[1]), listed[2]
        yield where, (change.get("old"), new)
