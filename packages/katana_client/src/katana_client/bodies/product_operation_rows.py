"""Bodies of `product_operation_rows` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class NewProductOperationRow(WriteModel):
    """A new operation of a product variant; times are whole seconds."""

    product_variant_id: Ref
    operation_id: Omittable[Ref] = None
    operation_name: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=256)]] = None
    resource_id: Omittable[Ref] = None
    resource_name: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=256)]] = None
    type: Omittable[Literal["process", "setup", "perUnit", "fixed"]] = None
    cost_parameter: Omittable[Annotated[Decimal, Field(ge=0)]] = None
    cost_per_hour: Omittable[Annotated[Decimal, Field(ge=0)]] = None
    planned_time_parameter: Omittable[Ref] = None
    planned_time_per_unit: Omittable[Ref] = None


class ProductOperationRowsCreate(WriteModel):
    """1 to 150 new operations. `keep_current_rows=False` first deletes all operations of their products."""

    rows: Annotated[list[NewProductOperationRow], Field(min_length=1, max_length=150)]
    keep_current_rows: Omittable[bool] = None


class ProductOperationRowUpdate(WriteModel):
    """A change of an operation, for every variant that the row applies to. Times are whole seconds.

    Operation and resource are given by id, or by a name, which is made when unknown; beside an id the name is ignored.
    So ids are not copied, nor are the older names of fields: each would win over what is given anew.
    """

    not_copied = frozenset({"operation_id", "resource_id", "cost_per_hour", "planned_time_per_unit"})

    custom_fields: FreeFields | None = None
    operation_id: Omittable[Ref] = None
    operation_name: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=256)]] = None
    type: Omittable[Literal["process", "setup", "perUnit", "fixed"]] = None
    resource_id: Omittable[Ref] = None
    resource_name: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=256)]] = None
    planned_time_parameter: Omittable[Annotated[int, Field(ge=0)]] = None
    planned_time_per_unit: Omittable[Annotated[int, Field(ge=0)]] = None
    cost_parameter: Omittable[Annotated[Decimal, Field(ge=0)]] = None
    cost_per_hour: Omittable[Annotated[Decimal, Field(ge=0)]] = None


class Rerank(WriteModel):
    """Where an operation goes: behind `preceding_product_operation_id`, or first without one.

    `should_group` joins it with the operation that follows.
    """

    rank_product_operation_id: Ref
    preceding_product_operation_id: Omittable[Ref] = None
    should_group: Omittable[bool] = None
