"""Addresses of suppliers, one each for now (facts 3.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import spec_of
from katana_client.models.supplier_addresses import SupplierAddress
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class SupplierAddressCreate(WriteModel):
    """`CreateSupplierAddressRequest` of the facts."""

    supplier_id: Ref
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None


class SupplierAddressUpdate(WriteModel):
    """`UpdateSupplierAddressRequest` of the facts."""

    line_1: Annotated[str, StringConstraints(min_length=1)] | None = None
    line_2: Annotated[str, StringConstraints(min_length=1)] | None = None
    city: Annotated[str, StringConstraints(min_length=1)] | None = None
    state: Annotated[str, StringConstraints(min_length=1)] | None = None
    zip: Annotated[str, StringConstraints(min_length=1)] | None = None
    country: Annotated[str, StringConstraints(min_length=1)] | None = None


class SupplierAddresses(Resource[SupplierAddress, SupplierAddressCreate, SupplierAddressUpdate]):
    """`/supplier_addresses`."""

    spec = spec_of("supplier_addresses", SupplierAddress, create=SupplierAddressCreate, update=SupplierAddressUpdate)
