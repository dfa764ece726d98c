"""Bin inventory as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, ReadModel


class BinInventory(ReadModel):
    """The stock of a variant in a bin; what it is not told apart by is null."""

    location_id: int | None = None
    variant_id: int | None = None
    bin_location_id: int | None = None
    batch_id: int | None = None
    serial_number_id: int | None = None
    quantity_in_stock: Amount = None
    quantity_committed: Amount = None
    quantity_expected: Amount = None
