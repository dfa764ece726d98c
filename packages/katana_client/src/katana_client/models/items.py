"""Items as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import ReadModel


class ItemConfig(ReadModel):
    """An option of an item, such as its size, and the values it can have."""

    id: int | None = None
    name: str | None = None
    values: list[str] | None = None
    product_id: int | None = None
    material_id: int | None = None
