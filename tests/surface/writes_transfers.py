"""Stock transfers: the rows of their tools that plan a write."""

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Write, edited, gone, live, part_gone
from .writes_batches import traced_rows


def _transfers() -> dict[str, Write]:
    collection = "stock_transfers"

    def make(tenant: Tenant, number: str) -> Record:
        source, destination = [location["id"] for location in live(tenant, "locations")][:2]
        moved = [{"variant_id": variant["id"], "quantity": "2.5"} for variant in live(tenant, "variants")[:2]]
        places = {"source_location_id": source, "target_location_id": destination}
        noted = {"additional_info": "handle with care", "stock_transfer_number": number}
        return tenant.create(collection, {**noted, **places, "stock_transfer_rows": moved})

    def new(tenant: Tenant, number: str, _: Record) -> Arguments:
        source, destination = [location["id"] for location in live(tenant, "locations")][:2]
        rows = [{"sku_or_variant_id": live(tenant, "variants")[0]["id"], "quantity": 0.5}]
        places = {"source_location_id": source, "destination_location_id": destination}
        return {**places, "rows": rows, "stock_transfer_number": number, "additional_info": "x"}

    def below(tenant: Tenant, _: Record) -> dict[str, Arguments]:
        first, second = [variant["id"] for variant in live(tenant, "variants")[:2]]
        return {
            "rows[].sku_or_variant_id": {"rows": [{"sku_or_variant_id": second, "quantity": 0.5}]},
            "rows[].quantity": {"rows": [{"sku_or_variant_id": first, "quantity": 0.25}]},
            **{f"rows[].{name}": {"rows": [row]} for name, row in traced_rows(tenant).items()},
        }

    def pools(tenant: Tenant, _: Record) -> Pools:
        places = live(tenant, "locations")
        source, destination = places[0], [value for place in places[1:] for value in (place["id"], place["name"])]
        variants = [variant["id"] for variant in live(tenant, "variants")[:20]]
        return {
            "source_location_id": [source["id"], source["name"]],
            "destination_location_id": destination,
            "rows[].sku_or_variant_id": variants,
            "rows[].traceability": [[]],
        }

    parts = {"rows": "stock_transfer_rows"}
    lined = {"stock_transfer_rows": ""}
    derived = frozenset({"cost_per_unit"})
    stock = {"inventory", "inventory_movements", "negative_stock"}
    waiting = {"sales_orders", "sales_order_rows", "manufacturing_orders", "manufacturing_order_recipe_rows"}
    moves = frozenset(stock | waiting)
    changed: Arguments = {
        "additional_info": "usual",
        "expected_arrival_date": "2026-04-05T00:00:00Z",
        "status": "inTransit",
    }
    return {
        "create_stock_transfer": Write(
            collection=collection,
            words={"source_location_id": "locations", "target_location_id": "locations"},
            usual=new,
            pools=pools,
            below=below,
            parts=parts,
            lined=lined,
            derived=derived | {"transfer_date", "order_created_date"},
            spoils={"what moves is deleted": part_gone("rows", "sku_or_variant_id", "variants")},
        ),
        "modify_stock_transfer": Write(
            collection=collection,
            usual=lambda *_: changed,
            subject="stock_transfer_id",
            make=make,
            parts=parts,
            lined=lined,
            derived=derived,
            spoils={
                "it is deleted": gone(collection),
                "it is received": edited(collection, "invalid_status_transition", status="received"),
                "somebody did the same": edited(
                    collection,
                    "no_effective_change",
                    additional_info="usual",
                    expected_arrival_date="2026-04-05T00:00:00.000Z",
                    status="inTransit",
                ),
            },
            follows=moves,
        ),
        "delete_stock_transfer": Write(
            collection=collection,
            usual=lambda *_: {},
            subject="stock_transfer_id",
            make=make,
            parts=parts,
            lined=lined,
            derived=derived,
            spoils={"it is deleted": gone(collection)},
            follows=moves,
        ),
    }


TRANSFERS = _transfers()
