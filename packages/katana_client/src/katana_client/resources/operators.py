"""Operators; read-only, no dates, no ids filter (facts 3.3, 1.13)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.operators import Operator
from katana_client.resource import Resource


class Operators(Resource[Operator, Never, Never]):
    """`/operators`. There is no way to read one alone."""

    spec = Spec(name="operators", model=Operator, filters=Filters(single=("working_area", "resource_id")))
