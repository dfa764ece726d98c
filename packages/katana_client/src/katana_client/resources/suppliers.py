"""Suppliers (facts 3.3)."""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.bodies.suppliers import SupplierCreateBody, SupplierUpdateBody
from katana_client.collection import spec_of
from katana_client.models.suppliers import Supplier
from katana_client.resource import Resource
from katana_client.resources.addresses import NewPlace
from katana_client.wire import NonEmpty, Omittable

type Phone = Annotated[str, StringConstraints(min_length=1, max_length=30)]
"""Write: 1 to 30 characters."""


class NewSupplierAddress(NewPlace):
    """The address inside a new supplier."""


class SupplierCreate(SupplierCreateBody):
    """A new supplier."""

    name: NonEmpty
    email: NonEmpty | None = None
    phone: Phone | None = None
    currency: Omittable[NonEmpty] = None
    comment: NonEmpty | None = None
    addresses: Omittable[list[NewSupplierAddress]] = None


class SupplierUpdate(SupplierUpdateBody):
    """A change of a supplier; its address is changed through `/supplier_addresses`."""

    name: Omittable[NonEmpty] = None
    email: NonEmpty | None = None
    phone: Phone | None = None
    currency: Omittable[NonEmpty] = None
    comment: NonEmpty | None = None


class Suppliers(Resource[Supplier, SupplierCreate, SupplierUpdate]):
    """`/suppliers`; `get` goes through the listing."""

    spec = spec_of("suppliers", Supplier, SupplierCreate, SupplierUpdate)
