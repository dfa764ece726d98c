"""Where the arguments of the tools that write items go, of all three types."""

from .goes import (
    COLLECTION,
    IN_ITS_PATH,
    IN_THE_PATH,
    OF_ITS_ITEM,
    OF_ITS_OWN,
    OPTIONS,
    SUPPLIED,
    Goes,
)

ITEMS: dict[str, tuple[Goes, ...]] = {
    "create_item": (
        Goes(
            into=(
                "CreateProductRequest",
                "CreateMaterialRequest",
                "CreateServiceRequest",
                "CreateServiceVariantRequest",
            ),
            called=SUPPLIED,
            apart=IN_ITS_PATH,
            excused=COLLECTION | {"configs": "options are read off the variants, which name them"},
        ),
        Goes(into=("CreateVariantRequest",), within="variants", called=OPTIONS, excused=OF_ITS_ITEM),
    ),
    "modify_item": (
        Goes(
            into=("UpdateProductRequest", "UpdateMaterialRequest", "UpdateServiceRequest"),
            called=SUPPLIED,
            apart=IN_ITS_PATH
            | {"item_id": IN_THE_PATH}
            | dict.fromkeys(("add_variants", "update_variants", "delete_variant_ids"), OF_ITS_OWN),
            excused=COLLECTION,
        ),
        Goes(into=("CreateVariantRequest",), within="add_variants", called=OPTIONS, excused=OF_ITS_ITEM),
        Goes(
            into=("UpdateVariantRequest",),
            within="update_variants",
            called=OPTIONS,
            apart={"variant_id": IN_THE_PATH},
        ),
    ),
}
