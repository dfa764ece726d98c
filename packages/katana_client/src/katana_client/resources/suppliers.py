"""Suppliers (facts 3.3)."""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.suppliers import Supplier
from katana_client.resource import Resource
from katana_client.resources.addresses import NewPlace
from katana_client.wire import NonEmpty, Omittable, WriteModel

type Phone = Annotated[str, StringConstraints(min_length=1, max_length=30)]
"""Write: 1 to 30 characters."""


class NewSupplierAddress(NewPlace):
    """The address inside a new supplier."""


class SupplierCreate(WriteModel):
    """A new supplier."""

    name: NonEmpty
    email: NonEmpty | None = None
    phone: Phone | None = None
    currency: Omittable[NonEmpty] = None
    comment: NonEmpty | None = None
    addresses: Omittable[list[NewSupplierAddress]] = None


class SupplierUpdate(WriteModel):
    """A change of a supplier; its address is changed through `/supplier_addresses`."""

    name: Omittable[NonEmpty] = None
    email: NonEmpty | None = None
    phone: Phone | None = None
    currency: Omittable[NonEmpty] = None
    comment: NonEmpty | None = None


class Suppliers(Resource[Supplier, SupplierCreate, SupplierUpdate]):
    """`/suppliers`; `get` goes through the listing."""

    spec = Spec(
        name="suppliers",
        model=Supplier,
        create=SupplierCreate,
        update=SupplierUpdate,
        deletes=True,
        gets="ids",
        filters=Filters(single=(*DATES, *DELETED, "email", "phone", "name"), repeated=("ids",)),
    )
