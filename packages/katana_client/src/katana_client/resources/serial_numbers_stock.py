"""Serial numbers with their stock, in one piece; `serial_numbers.stock` has them by page.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.serial_numbers_stock import SerialNumberStock
from katana_client.resource import Resource


class SerialNumbersStock(Resource[SerialNumberStock, Never, Never]):
    """`/serial_numbers_stock`."""

    spec = spec_of("serial_numbers_stock", SerialNumberStock)

    async def read_all(self) -> tuple[SerialNumberStock, ...]:
        """Return all serial numbers with their stock."""
        return await self.read_rows("/serial_numbers_stock", SerialNumberStock)
