"""Where arguments of tools that write go, and why some go elsewhere or are not offered."""

from collections.abc import Mapping
from dataclasses import dataclass, field

OF_ITS_OWN = "goes in requests of its own"
IN_THE_PATH = "goes in the path of the request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goes:
    """Where arguments of a tool go.

    Attributes:
        into: the schemas of what Katana takes; `Name.field` is what a list of that schema holds.
        within: the list of the tool that holds these arguments; the tool itself where it is empty.
        called: arguments that Katana calls otherwise.
        apart: arguments that are no field there, each with its reason.
        excused: fields that are not offered, each with its reason.
        is_formed: whether the sheets say what is sent: the description has what is answered in its place.
    """

    into: tuple[str, ...]
    within: str = ""
    called: Mapping[str, str] = field(default_factory=dict[str, str])
    apart: Mapping[str, str] = field(default_factory=dict[str, str])
    excused: Mapping[str, str] = field(default_factory=dict[str, str])
    is_formed: bool = False


TAX_BY_ID: dict[str, str] = dict.fromkeys(
    ("tax_name", "tax_rate"), "follows from the tax rate, which is named by id or name"
)
CUSTOM: dict[str, str] = {
    "custom_fields": "values of custom fields are read by label; they are written in Katana",
}
KEPT = {"custom_fields": "are kept by a correction"}
COLLECTION = {"custom_field_collection_id": "which custom fields an item has is chosen in Katana"}
IN_ITS_PATH = {"type": "says which collection the path names"}
UNTRACED = "batches, serial numbers and bins are not cached, so none can be named"
OLDER_FORM = "the older form of traceability, which excludes it"
OF_ITS_ORDER = {"sales_order_id": "the order that it belongs to"}
OF_ITS_SHIPMENT = {"sales_return_id": "the return that it belongs to", "variant_id": "that of the shipment"}
OF_ITS_ITEM: dict[str, str] = dict.fromkeys(("product_id", "material_id"), "the item that it belongs to")
SUPPLIED = {"supplier_id": "default_supplier_id"}
OPTIONS = {"config": "config_attributes"}
OF_BOMS = {"custom_fields": "no tool shows custom fields of bills of materials"}
OF_ITS_MAKING = {"manufacturing_order_id": "the order that it belongs to"}
ON_THE_FLOOR = "is reported on the shop floor, in Katana"
BY_LABEL = {"custom_fields": "no tool shows custom fields of manufacturing orders and their ingredients"}
MADE: dict[str, str] = BY_LABEL | {
    "actual_quantity": "how much is made follows from productions",
    **dict.fromkeys(("batch_transactions", "traceability"), UNTRACED),
}
USED: dict[str, str] = BY_LABEL | {
    "total_actual_quantity": "what is used follows from productions",
    **dict.fromkeys(("batch_transactions", "traceability"), UNTRACED),
}
WORKED: dict[str, str] = CUSTOM | {
    **dict.fromkeys(("operation_id", "resource_id"), "is named by its name, which Katana makes where it is unknown"),
    **dict.fromkeys(("planned_time_per_unit", "cost_per_hour"), "is the older name of a field that is offered"),
    "assigned_operators": ON_THE_FLOOR,
}
_WORK = {name: why for name, why in WORKED.items() if name not in {"assigned_operators", *CUSTOM}}
OPERATIONS_APART: dict[str, str] = {
    "copy_operations_of": "names the product whose operations are added",
    **dict.fromkeys(("add_operation_rows", "update_operation_rows", "delete_operation_row_ids"), OF_ITS_OWN),
}
OPERATIONS = (
    Goes(
        into=("CreateProductOperationRowItem",),
        within="add_operation_rows",
        excused=_WORK | {"product_variant_id": "the product that is changed"},
    ),
    Goes(
        into=("UpdateProductOperationRowRequest",),
        within="update_operation_rows",
        apart={"operation_row_id": IN_THE_PATH},
        excused=_WORK | CUSTOM,
    ),
)
"""Of `modify_bom`: the operations of a product."""
COST_REFERENCE: dict[str, str] = {"reference": "no tool shows the reference of an additional cost"}


_PRICES_ALONE = CUSTOM | dict.fromkeys(
    (
        *("sku", "supplier_item_codes", "internal_barcode", "registered_barcode", "lead_time"),
        *("minimum_order_quantity", "config_attributes", "sales_price", "purchase_price"),
    ),
    "`modify_item` changes it; prices are what `which` says",
)
_PRICED_BY: dict[str, str] = {
    "price_list": "whose rows change in place of variants: `test_price_lists.py` of the server",
    **dict.fromkeys(("percent", "decimals"), "new prices follow from it"),
    **dict.fromkeys(("which", "prices"), "`sales_price` or `purchase_price`, one request for each variant"),
    **dict.fromkeys(
        ("skus_or_variant_ids", "category", "supplier_id", "after_variant_id"), "names the variants that change"
    ),
}
PRICED = (
    Goes(
        into=("UpdateVariantRequest",),
        apart=_PRICED_BY,
        excused=_PRICES_ALONE,
    ),
    Goes(
        into=("UpdateVariantRequest",),
        within="prices",
        apart={"sku_or_variant_id": IN_THE_PATH, "price": "`sales_price` or `purchase_price`, as `which` says"},
        excused=_PRICES_ALONE,
    ),
)
"""Of `change_prices`, which sends one request for each variant."""

_COUNTED: dict[str, str] = {
    "table": "its lines are rows, as `counts` are",
    "stocktake_id": IN_THE_PATH,
    "complete": "`status`, after the rows",
    "delete": "a request without fields",
    **dict.fromkeys(("skus_or_variant_ids", "category"), "says which rows a new stocktake has"),
}
COUNTED = (
    Goes(
        into=("CreateStocktakeRequest",),
        called={"counts": "stocktake_rows"},
        apart=_COUNTED,
        excused={
            "created_date": "is that of its making",
            "set_remaining_items_as_counted": "books goods as gone that nobody counted; it is set in Katana",
        },
    ),
    Goes(
        into=("CreateStocktakeRequest.stocktake_rows", "UpdateStocktakeRowRequest"),
        within="counts",
        called={"sku_or_variant_id": "variant_id", "batch": "batch_id", "quantity": "counted_quantity"},
        excused={"bin_location_id": "bins are counted in Katana", "notes": "of rows are kept in Katana"},
    ),
)
"""Of `count_stock`, which sends its statuses one after the other."""
DEFINED = (
    Goes(
        into=("CreateCustomFieldDefinitionRequest",),
        apart={
            "field": IN_THE_PATH,
            "delete": "a request without fields",
            **dict.fromkeys(("choices", "appears_on"), "goes into `options`"),
        },
        excused={"source": "is this server", "options": "follows from `choices` and `appears_on`"},
    ),
)
"""Of `define_custom_field`, whose change takes what a new one takes."""

BATCHED = (
    Goes(
        into=("Batch", "BatchStockUpdate"),
        called={"sku_or_variant_id": "variant_id"},
        apart={"batch": IN_THE_PATH},
    ),
)
"""Of `modify_traceability`, which makes a batch or changes one."""
BETWEEN_BINS = (
    Goes(
        into=("CreateBinTransferRequest", "UpdateBinTransferStatusRequest"),
        called={"rows": "bin_transfer_rows"},
        apart={"bin_transfer": IN_THE_PATH, **dict.fromkeys(("delete", "delete_bins"), "is a request of its own")},
        excused=dict.fromkeys(("bin_transfer_number", "created_date", "additional_info"), "Katana's own are kept"),
    ),
    Goes(
        into=("BinTransferRowCreateNested",),
        within="rows",
        called={
            "sku_or_variant_id": "variant_id",
            "from_bin": "source_bin_location_id",
            "to_bin": "target_bin_location_id",
            "batch": "traceability",
            "serial_number_ids": "traceability",
        },
    ),
)
"""Of `plan_bin_transfer`, which makes a transfer with its rows, and sets its status."""
