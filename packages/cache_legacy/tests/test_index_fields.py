"""The index columns name the fields that are declared searchable."""

import pytest

from cache_core.spec import EntitySpec
from cache_core.specs.customers import CUSTOMER
from cache_core.specs.materials import MATERIAL
from cache_core.specs.products import PRODUCT
from cache_core.specs.services import SERVICE
from cache_core.specs.variants import VARIANT
from cache_legacy.backend import LegacyBackend
from cache_legacy.fields import IndexFields, index_fields


def test_variants_register_supplier_codes_and_both_barcodes_as_extras() -> None:
    fields = index_fields(VARIANT)
    assert fields.extras_keys == ("supplier_item_codes", "internal_barcode", "registered_barcode")
    assert fields.sku_key == ("sku",)
    assert fields.name_key == ("product.name", "material.name", "config_attributes[].config_value")


def test_borrowed_names_fill_the_second_name() -> None:
    assert index_fields(PRODUCT).name2_key == index_fields(MATERIAL).name2_key == ("supplier.name",)


@pytest.mark.parametrize("spec", [VARIANT, PRODUCT, SERVICE, CUSTOMER], ids=lambda spec: spec.name)
def test_every_searchable_place_has_a_source_in_some_column(spec: EntitySpec) -> None:
    fields = index_fields(spec)
    sources = (*fields.sku_key, *fields.name_key, *fields.name2_key, *fields.extras_keys)
    assert len(sources) >= sum(len(places) for places in spec.searchable.by_class())


def test_the_backend_says_which_fields_fill_its_columns() -> None:
    backend = LegacyBackend(None, (CUSTOMER,))
    assert backend.index_fields("customer") == IndexFields(
        sku_key=(),
        name_key=("name", "company"),
        name2_key=(
            *("first_name", "last_name", "category"),
            *("addresses[].company", "addresses[].line_1", "addresses[].city"),
        ),
        extras_keys=("email", "phone", "reference_id", "comment"),
    )
