"""Whether what a transfer moves is in stock where it leaves. It is said, never refused: stock can be negative."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from katana_mcp.naming import Known
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import number, rows


async def in_stock(services: Services, variants: Sequence[int], location_id: int | None) -> dict[int, Decimal]:
    """Return how much of each variant a location has; variants whose stock cannot be read are left out."""
    answer = await services.stock.ensure(list(dict.fromkeys(variants)))
    held: dict[int, Decimal] = {}
    for row in answer.stored:
        levels = [each for each in rows(row.record, "levels") if each.get("location_id") == location_id]
        # A pair that Katana does not list holds nothing.
        amounts = [number(each, "quantity_in_stock") for each in levels] or [Decimal(0)]
        if isinstance(row.id, int) and amounts[0] is not None:
            held[row.id] = amounts[0]
    return held


def lacking(
    moved: Iterable[tuple[Known | None, Decimal | None, str]], held: Mapping[int, Decimal], place: str
) -> list[ToolWarning]:
    """Return a warning for each variant of which more is to leave a place than is in stock there.

    Args:
        moved: each row's variant, its quantity, and the argument that it comes from.
        held: what the place has of each variant; one that is missing is unknown, and nothing is said of it.
        place: the name of the place.
    """
    needed: dict[int, tuple[Known, Decimal, str]] = {}
    for known, quantity, path in moved:
        if known is not None and known.id in held:
            before = needed[known.id][1] if known.id in needed else Decimal(0)
            needed[known.id] = (known, before + (quantity or Decimal(0)), path)
    warnings: list[ToolWarning] = []
    for known, amount, path in needed.values():
        if amount > held[known.id]:
            told = (
                f"{amount.normalize():f} {known.called} would leave {place}, which has {held[known.id].normalize():f}"
            )
            warnings.append(advisory(warning_codes.INSUFFICIENT_STOCK, told, path))
    return warnings
