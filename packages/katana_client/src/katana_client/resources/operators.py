"""Operators; read-only, no dates, no ids filter (facts 3.3, 1.13)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.resource import Resource
from katana_client.wire import Moment, ReadModel


class Operator(ReadModel):
    """Someone who works on the shop floor or in the warehouse."""

    id: int | None = None
    operator_name: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class Operators(Resource[Operator, Never, Never]):
    """`/operators`. There is no way to read one alone."""

    spec = Spec(name="operators", model=Operator, filters=Filters(single=("working_area", "resource_id")))
