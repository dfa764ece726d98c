"""Suppliers (facts 3.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import spec_of
from katana_client.models.suppliers import Supplier
from katana_client.resource import Resource
from katana_client.wire import FreeFields, Omittable, WriteModel


class NewSupplierAddress(WriteModel):
    """`SupplierAddressRequest` of the facts."""

    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None


class SupplierCreate(WriteModel):
    """`CreateSupplierRequest` of the facts."""

    name: Annotated[str, StringConstraints(min_length=1)]
    custom_fields: FreeFields | None = None
    currency: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    email: Annotated[str, StringConstraints(min_length=1)] | None = None
    phone: Annotated[str, StringConstraints(min_length=1, max_length=30)] | None = None
    comment: Annotated[str, StringConstraints(min_length=1)] | None = None
    addresses: Omittable[list[NewSupplierAddress]] = None


class SupplierUpdate(WriteModel):
    """A change of a supplier; its address is changed through `/supplier_addresses`."""

    custom_fields: FreeFields | None = None
    name: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    email: Annotated[str, StringConstraints(min_length=1)] | None = None
    phone: Annotated[str, StringConstraints(min_length=1, max_length=30)] | None = None
    currency: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    comment: Annotated[str, StringConstraints(min_length=1)] | None = None


class Suppliers(Resource[Supplier, SupplierCreate, SupplierUpdate]):
    """`/suppliers`."""

    spec = spec_of("suppliers", Supplier, create=SupplierCreate, update=SupplierUpdate)
