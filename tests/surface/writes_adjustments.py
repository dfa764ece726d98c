"""Stock adjustments: the rows of their tools that plan a write."""

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Write, edited, gone, live, part_gone
from .writes_batches import traced_rows


def _adjustments() -> dict[str, Write]:
    collection = "stock_adjustments"

    def make(tenant: Tenant, number: str) -> Record:
        found, lost = [variant["id"] for variant in live(tenant, "variants")[:2]]
        rows = [{"variant_id": found, "quantity": 2.5, "cost_per_unit": 3}, {"variant_id": lost, "quantity": -1}]
        head = {"stock_adjustment_number": number, "reason": "Counted", "additional_info": "second shelf"}
        place = {"location_id": live(tenant, "locations")[0]["id"]}
        return tenant.create(collection, {**head, **place, "stock_adjustment_rows": rows})

    def new(tenant: Tenant, number: str, _: Record) -> Arguments:
        rows = [{"sku_or_variant_id": live(tenant, "variants")[0]["id"], "quantity": 0.5, "cost_per_unit": 3}]
        place = live(tenant, "locations")[0]["id"]
        return {"location_id": place, "rows": rows, "stock_adjustment_number": number, "reason": "Counted"}

    def below(tenant: Tenant, _: Record) -> dict[str, Arguments]:
        first, second = [variant["id"] for variant in live(tenant, "variants")[:2]]
        return {
            "rows[].sku_or_variant_id": {"rows": [{"sku_or_variant_id": second, "quantity": 0.5, "cost_per_unit": 3}]},
            "rows[].quantity": {"rows": [{"sku_or_variant_id": first, "quantity": 0.25, "cost_per_unit": 3}]},
            "rows[].cost_per_unit": {"rows": [{"sku_or_variant_id": first, "quantity": 0.5, "cost_per_unit": 4}]},
            **{f"rows[].{name}": {"rows": [row]} for name, row in traced_rows(tenant, -1).items()},
        }

    def pools(tenant: Tenant, _: Record) -> Pools:
        places = [value for location in live(tenant, "locations") for value in (location["id"], location["name"])]
        variants = [variant["id"] for variant in live(tenant, "variants")[:20]]
        return {"location_id": places, "rows[].sku_or_variant_id": variants, "rows[].traceability": [[]]}

    parts, lined = {"rows": "stock_adjustment_rows"}, {"stock_adjustment_rows": "cost_per_unit"}
    stock = {"inventory", "inventory_movements", "negative_stock"}
    waiting = {"sales_orders", "sales_order_rows", "manufacturing_orders", "manufacturing_order_recipe_rows"}
    moves = frozenset(stock | waiting)
    derived = frozenset({"cost_per_unit"})
    usual: Arguments = {"reason": "usual", "additional_info": "usual"}
    return {
        "create_stock_adjustment": Write(
            collection=collection,
            parts=parts,
            lined=lined,
            words={"location_id": "locations"},
            usual=new,
            pools=pools,
            below=below,
            derived=derived | {"stock_adjustment_date"},
            spoils={"what is adjusted is deleted": part_gone("rows", "sku_or_variant_id", "variants")},
            follows=moves,
        ),
        "modify_stock_adjustment": Write(
            collection=collection,
            parts=parts,
            lined=lined,
            words={"location_id": "locations"},
            usual=lambda *_: usual,
            subject="stock_adjustment_id",
            make=make,
            pools=pools,
            derived=derived,
            spoils={
                "it is deleted": gone(collection),
                "somebody did the same": edited(
                    collection, "no_effective_change", reason="usual", additional_info="usual"
                ),
            },
            follows=moves,
        ),
        "delete_stock_adjustment": Write(
            collection=collection,
            parts=parts,
            lined=lined,
            usual=lambda *_: {},
            subject="stock_adjustment_id",
            make=make,
            derived=derived,
            spoils={"it is deleted": gone(collection)},
            follows=moves,
        ),
    }


ADJUSTMENTS = _adjustments()
