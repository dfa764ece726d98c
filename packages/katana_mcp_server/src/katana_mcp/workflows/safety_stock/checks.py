"""What speaks against levels: what is kept nowhere, what is said twice, and what changes nothing."""

from collections.abc import Iterator

from katana_mcp.references import wording
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.workflows.safety_stock.levels import LOCATION, VARIANT, KeptFacts
from katana_mcp.workflows.safety_stock.request import ModifySafetyStockRequest

_FIELDS = ("safety_stock", "default_bin")


def checks(request: ModifySafetyStockRequest, facts: KeptFacts) -> list[ToolWarning]:
    """Return what speaks against the plan."""
    wrong = [*_against_rows(request, facts), *_against_pairs(request, facts)]
    kept = [*facts.kept(request)]
    if not wrong and not any(row.has_amount or row.has_bin for row in kept):
        message = "all rows already have these values: nothing would change"
        return [blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)]
    return [*wrong, *_new_bins(request, facts)]


def _against_rows(request: ModifySafetyStockRequest, facts: KeptFacts) -> Iterator[ToolWarning]:
    for nr, row in enumerate(request.rows):
        path = f"rows[{nr}]"
        yield from wording.unnamed(VARIANT, facts.named[VARIANT, row.sku_or_variant_id], f"{path}.sku_or_variant_id")
        yield from wording.unnamed(LOCATION, facts.named[LOCATION, row.location_id], f"{path}.location_id")
        if not {*_FIELDS} & row.model_fields_set:
            message = f"{path}: give safety_stock, default_bin, or both"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, path)


def _against_pairs(request: ModifySafetyStockRequest, facts: KeptFacts) -> Iterator[ToolWarning]:
    seen: dict[tuple[object, ...], str] = {}
    for nr, row in enumerate(request.rows):
        path, pair = f"rows[{nr}]", facts.pair(row)
        if pair is None:
            continue
        called = f"{pair[0].called} at {pair[1].called}"
        if (pair[0].id, pair[1].id) not in facts.levels:
            message = f"{path}: Katana keeps no stock of {called}; a service is never in stock"
            yield blocking(warning_codes.NOT_FOUND, message, path)
        for name in _FIELDS:
            first = seen.setdefault((pair[0].id, pair[1].id, name), path) if name in row.model_fields_set else path
            if first != path:
                message = f"{path}: {name} of {called} is given in {first} already; give it once"
                yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, f"{path}.{name}")


def _new_bins(request: ModifySafetyStockRequest, facts: KeptFacts) -> Iterator[ToolWarning]:
    """Yield which bins are made along, because their location has none that is called so."""
    paths = dict[tuple[int, str], str]()
    for row in facts.kept(request):
        if row.has_bin and row.bin is not None and row.bin not in facts.bins.get(row.place.id, ()):
            paths.setdefault((row.place.id, row.bin), f"rows[{row.nr}].default_bin")
    for (place, name), path in paths.items():
        names = facts.bins[place]
        others = " and others" if len(names) > _NAMED else ""
        there = f"it has {', '.join(names[:_NAMED])}{others}" if names else "it has none yet"
        message = f"{path}: the location has no bin {name!r}, so Katana makes one; {there}"
        yield advisory(warning_codes.NEW_BIN, message, path)


_NAMED = 10
