"""Bodies that move orders within their ranking.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal

from pydantic import Field

from katana_client.wire import Omittable, Ref, WriteModel


class RerankPlace(WriteModel):
    """`RerankPlace` of the facts."""

    after_id: Omittable[Ref] = None
    position: Omittable[Literal["top", "bottom"]] = None
    before_id: Omittable[Ref] = None


class RerankSalesOrder(WriteModel):
    """`RerankSalesOrderRequest` of the facts."""

    order_ids: Annotated[list[Ref], Field(min_length=1, max_length=250)]
    place: RerankPlace


class RerankManufacturingOrder(WriteModel):
    """`RerankManufacturingOrderRequest` of the facts."""

    order_ids: Annotated[list[Ref], Field(min_length=1, max_length=250)]
    place: RerankPlace
