"""What of a proposal fits into one answer of `replenish`; of the rest, what it is, what it comes to, how to get it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel

from katana_mcp.references.display_names import Names, text
from katana_mcp.tools.answers import first_of, fitting, plain_number, so_many
from katana_mcp.tools.warnings import ToolWarning, truncated
from katana_mcp.values import total
from katana_mcp.workflows.elsewhere import calls
from katana_mcp.workflows.replenish_orders import OrderedLine, OrderKey, Proposal, Transfer

_MOST_ORDERS, _MOST_LINES, _MOST_BESIDE, _MOST_NAMED = 10, 100, 20, 10


def fitted(found: Proposal, beside: Sequence[BaseModel]) -> Proposal:
    """Return what of a proposal fits into one answer: the largest orders first, with as many of their lines."""
    cannot, make = found.cannot_order[:_MOST_BESIDE], found.to_make[:_MOST_BESIDE]
    largest = sorted(found.orders.items(), key=lambda item: (-len(item[1]), item[0]))
    flat = [(key, line) for key, lines in largest[:_MOST_ORDERS] for line in lines][:_MOST_LINES]
    transfers = found.to_transfer[:_MOST_BESIDE]
    phrases = [*cannot, *make, *(transfer.phrase for transfer in transfers), *transfer_calls(transfers)]
    kept = fitting([line for _, line in flat], [*beside, *map(truncated, phrases)])
    orders: dict[OrderKey, list[OrderedLine]] = {}
    for key, line in flat[: len(kept)]:
        orders.setdefault(key, []).append(line)
    return replace(found, orders=orders, to_make=make, to_transfer=transfers, cannot_order=cannot)


def transfer_calls(transfers: Iterable[Transfer]) -> list[str]:
    """Return the calls that plan these transfers, one for each two locations."""
    return calls([move for transfer in transfers for move in transfer.moves])


def left_out(found: Proposal, fit: Proposal, names: Names) -> list[ToolWarning]:
    """Return what is not in the answer, and how to get it."""
    messages: list[str] = []
    missing = _missing(found, fit)
    if missing:
        phrases = [_phrase(key, lines, names, "more " if key in fit.orders else "") for key, lines in missing.items()]
        lines = so_many(sum(map(len, missing.values())), "line")
        messages.append(
            f"{lines} of {so_many(len(missing), 'order')} left out: {first_of(phrases, _MOST_NAMED)}; "
            "apply these and call this again, or get one by supplier_id and location_id"
        )
    for name, all_of, shown in (
        ("to_transfer", found.to_transfer, fit.to_transfer),
        ("to_make", found.to_make, fit.to_make),
        ("cannot_order", found.cannot_order, fit.cannot_order),
    ):
        if len(shown) < len(all_of):
            messages.append(f"{name} names {len(shown)} of {len(all_of)}; narrow it down by skus_or_variant_ids")
    return [truncated(message) for message in messages]


def gets_left_out(found: Proposal, fit: Proposal) -> list[str]:
    """Return the call that plans the first order of which nothing is in the answer."""
    whole = [key for key in _missing(found, fit) if key not in fit.orders]
    return [
        f"replenish(..., supplier_id={supplier}, location_id={location}): the first of {so_many(len(whole), 'order')} "
        "left out"
        for supplier, location in whole[:1]
    ]


def _missing(found: Proposal, fit: Proposal) -> Mapping[OrderKey, Sequence[OrderedLine]]:
    """Return the lines that are not in the answer, by order, the largest first."""
    rest = {key: lines[len(fit.orders.get(key, ())) :] for key, lines in found.orders.items()}
    left = sorted(rest.items(), key=lambda item: (-len(item[1]), item[0]))
    return {key: lines for key, lines in left if lines}


def _phrase(key: OrderKey, lines: Iterable[OrderedLine], names: Names, more: str = "") -> str:
    """Return whose order it is, and what it comes to: `Acme for Main (2 lines, 340.5 EUR)`."""
    supplier, location = key
    of_order = list(lines)
    parts = [so_many(len(of_order), f"{more}line")]
    value = total([line.line_value for line in of_order])
    currency = text(names.record("supplier", supplier), "currency") or names.base_currency()
    parts += [] if value is None or currency is None else [f"{plain_number(value)} {currency}"]
    where = names.name("location", location) or location
    return f"{names.name('supplier', supplier) or supplier} for {where} ({', '.join(parts)})"
