"""Fields of bodies of `product_operation_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Literal

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class ProductOperationRowUpdateBody(WriteModel):
    """What `UpdateProductOperationRowRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    operation_id: Omittable[Ref] = None
    type: Omittable[Literal["process", "setup", "perUnit", "fixed"]] = None
    resource_id: Omittable[Ref] = None


class ProductOperationRowsCreateBody(WriteModel):
    """What `CreateProductOperationRowsRequest` has of the facts alone."""

    keep_current_rows: Omittable[bool] = None
