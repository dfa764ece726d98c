"""Prices of variants: `change_prices` raises, lowers or sets many at once."""

from collections.abc import Mapping

from katana_mcp.entities.items.prices.pricing import PRICING, TOOL
from katana_mcp.writing.change import AnyChange

_CHANGES = (
    "Plan to change sales or purchase prices of many variants: raise or lower them by a percentage, or one by one; "
    "nothing is written.\n\nShows each old and new price, and a `plan_token` for `apply_plan`."
)
PRICE_WORKFLOWS: Mapping[str, tuple[AnyChange, str]] = {TOOL: (PRICING, _CHANGES)}
