"""Serial numbers stock as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class SerialNumberMovement(ReadModel):
    """What moved a serial number."""

    id: str | None = None
    resource_id: int | None = None
    resource_type: str | None = None
    transaction_date: Moment = None
    quantity_change: int | None = None


class SerialNumberStock(ReadModel):
    """A serial number, whether it is in stock, and what moved it."""

    id: int | None = None
    serial_number: str | None = None
    in_stock: bool | None = None
    transactions: list[SerialNumberMovement] | None = None
