"""What a person is asked before plans are written: enough of each to judge it, bounded, and each value on its line.

It is made of what the journal keeps alone, so every process asks the same about a plan.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from katana_mcp.journal.entries import Plan
from katana_mcp.tools.answers import plain
from katana_mcp.tools.hidden import escape_hidden
from katana_mcp.writing.totals import totals_in_words

LONGEST = 4_000
"""Characters that a question has at most."""
_ASKED = "Write this to Katana?"
_VALUE, _SUMMARY, _ENTRIES = 80, 140, 12
"""Characters of a value and of a summary, and entries of a list, from which on the rest is left out."""
_TIMES = "\N{MULTIPLICATION SIGN}"
_MORE = 60
"""Characters that saying how much is left out may take."""


def question(plans: Sequence[Plan]) -> str:
    """Return the question about all these plans; each is named, and has its share of the room."""
    share = (LONGEST - len(_ASKED)) // max(len(plans), 1) - 1
    return "\n".join([_ASKED, *(_within(list(_question_lines(plan)), share) for plan in plans)])


def _within(lines: Sequence[str], room: int) -> str:
    """Return the first lines that have room, and how many do not; the first is always there."""
    whole = "\n".join(lines)
    if len(whole) <= room:
        return whole
    kept, size = [lines[0]], len(lines[0])
    for line in lines[1:]:
        size += len(line) + 1
        if size > room - _MORE:
            break
        kept.append(line)
    left = len(lines) - len(kept)
    return "\n".join([*kept, f"  … and {left} more lines: see the preview"] if left else kept)


def _question_lines(plan: Plan) -> Iterator[str]:
    yield f"- {_value(plan.summary, _SUMMARY)}"
    preview = cast("Mapping[str, object]", plain(plan.shown))
    yield from _listed(
        [f"  stock of {_value(figure, _SUMMARY)}" for figure in _list(preview, "stock")], "stock figures"
    )
    if totals := totals_in_words(preview):
        yield f"  total {_value(totals, _SUMMARY)}"
    yield from _listed([f"  note: {_value(note, _SUMMARY)}" for note in _list(preview, "advisory")], "notes")
    yield from _listed([f"  {_change(change)}" for change in _objects(preview, "changes")], "changes")
    yield from _listed([f"  {_line(line)}" for line in _dearest_first(_objects(preview, "lines"))], "lines")


def _listed(texts: Sequence[str], what: str) -> Iterator[str]:
    yield from texts[:_ENTRIES]
    if len(texts) > _ENTRIES:
        yield f"  … and {len(texts) - _ENTRIES} more {what}"


def _dearest_first(lines: list[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Return the lines in their order, or where not all have room, those first that cost most."""
    return lines if len(lines) <= _ENTRIES else sorted(lines, key=_cost, reverse=True)


def _cost(line: Mapping[str, object]) -> float:
    total = line.get("total")
    return float(total) if isinstance(total, int | float) else 0.0


def _line(line: Mapping[str, object]) -> str:
    called = next((line[key] for key in ("sku", "name", "variant_id") if key in line), "?")
    words = [*([str(line["change"])] if "change" in line else []), _value(called)]
    if line.get("is_shared"):
        words.append(f"({_value(line.get('name', 'no name'))}, variant {_value(line.get('variant_id', '?'))})")
    if "quantity" in line:
        words += [_TIMES, _value(line["quantity"]), *([_value(line["unit"])] if "unit" in line else [])]
    if "price" in line:
        words += ["@", _value(line["price"])]
    if "location" in line:
        words.append(f"at {_value(line['location'])}")
    return " ".join(words)


def _change(change: Mapping[str, object]) -> str:
    old, new = (_value(change[side]) if side in change else "(none)" for side in ("old", "new"))
    return f"{_value(change.get('field'))}: {old} → {new}"


def _value(value: object, most: int = _VALUE) -> str:
    """Return a value on one line, without what hides or steers, and cut."""
    text = escape_hidden("⏎".join(str(value).splitlines())).replace("\t", " ")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _list(preview: Mapping[str, object], name: str) -> list[object]:
    found = preview.get(name)
    return cast("list[object]", found) if isinstance(found, list) else []


def _objects(preview: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    return [cast("Mapping[str, object]", entry) for entry in _list(preview, name) if isinstance(entry, Mapping)]
