"""`get_bom` against plain Python over the sandbox's BOM rows: levels, quantities, cycles, and where things are used."""

from decimal import Decimal
from itertools import pairwise

from server_wire import Wire, amount, live, rows_of_cut_pages

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant


def products(tenant: Tenant) -> list[Wire]:
    """Return the live variants that have a BOM."""
    made = {row["product_variant_id"] for row in tenant.all("bom_rows")}
    return [variant for variant in live(tenant, "variants") if variant["id"] in made]


def needs(tenant: Tenant, product: Wire, ingredient: Wire, quantity: float) -> Wire:
    body = {"product_variant_id": product["id"], "product_item_id": product["product_id"]}
    return tenant.create("bom_rows", {**body, "ingredient_variant_id": ingredient["id"], "quantity": quantity})


def tree(answer: Payload) -> list[tuple[int, int, Decimal]]:
    return [(row["level"], row["variant_id"], amount(row["total_quantity"])) for row in answer["rows"] if row["level"]]


async def test_a_bom_is_shown_in_its_order_with_names_and_units(stage: Stage, tenant: Tenant) -> None:
    product = products(tenant)[0]
    rows = sorted(
        (bom_row for bom_row in tenant.all("bom_rows") if bom_row["product_variant_id"] == product["id"]),
        key=lambda part: (part["rank"], part["id"]),
    )
    answer = await stage.call("get_bom", skus_or_variant_ids=[product["sku"]])
    top, *lines = answer["rows"]
    assert (top["level"], top["variant_id"], top["sku"]) == (0, product["id"], product["sku"])
    assert not {"quantity", "total_quantity", "parent_variant_id", "bom_row_id"} & set(top)
    assert [(line["bom_row_id"], amount(line["quantity"])) for line in lines] == [
        (row["id"], amount(row["quantity"])) for row in rows
    ]
    for line, row in zip(lines, rows, strict=True):
        variant = tenant.get("variants", row["ingredient_variant_id"])
        item = tenant.get("materials", variant["material_id"])
        assert (line["level"], line["variant_id"], line["parent_variant_id"]) == (1, variant["id"], product["id"])
        assert (line["sku"], line["uom"]) == (variant["sku"], item["uom"])
        assert line["name"].startswith(item["name"])
        assert line["total_quantity"] == line["quantity"]


async def test_subassemblies_are_followed_and_quantities_add_up(stage: Stage, tenant: Tenant) -> None:
    frame, wheel, hub, *_ = products(tenant)
    needs(tenant, frame, wheel, 2)
    needs(tenant, wheel, hub, 1.5)
    per = {
        row["ingredient_variant_id"]: amount(row["quantity"])
        for row in tenant.all("bom_rows")
        if row["product_variant_id"] == hub["id"]
    }
    answer = await stage.call("get_bom", skus_or_variant_ids=[frame["id"]], limit=250)
    lines = tree(answer)
    assert (1, wheel["id"], Decimal(2)) in lines
    assert (2, hub["id"], Decimal(3)) in lines
    assert {(3, variant_id, 3 * quantity) for variant_id, quantity in per.items()} <= set(lines)
    place = lines.index((2, hub["id"], Decimal(3)))
    assert {level for level, _, _ in lines[place + 1 : place + 1 + len(per)]} == {3}
    shallow = await stage.call("get_bom", skus_or_variant_ids=[frame["id"]], levels=1)
    assert tree(shallow) == [line for line in lines if line[0] == 1]


async def test_a_cycle_is_named_and_ends_there(stage: Stage, tenant: Tenant) -> None:
    first, second, *_ = products(tenant)
    needs(tenant, first, second, 2)
    needs(tenant, second, first, 3)
    for direction in ("components", "where used"):
        answer = await stage.call("get_bom", skus_or_variant_ids=[first["id"]], direction=direction, limit=250)
        (closed,) = [row for row in answer["rows"] if row.get("cycle")]
        assert (closed["level"], closed["variant_id"], amount(closed["total_quantity"])) == (2, first["id"], 6)
        assert answer["total"] == len(answer["rows"])


async def test_where_used_goes_up_to_what_is_made_last(stage: Stage, tenant: Tenant) -> None:
    bike, wheel, *_ = products(tenant)
    needs(tenant, bike, wheel, 2)
    rows = [row for row in tenant.all("bom_rows") if row["product_variant_id"] == wheel["id"]]
    spoke = rows[0]["ingredient_variant_id"]
    users = {row["product_variant_id"] for row in tenant.all("bom_rows") if row["ingredient_variant_id"] == spoke}
    answer = await stage.call("get_bom", skus_or_variant_ids=[spoke], direction="where_used", limit=250)
    lines = tree(answer)
    assert {variant for level, variant, _ in lines if level == 1} == users
    assert (2, bike["id"], 2 * amount(rows[0]["quantity"])) in lines


async def test_what_has_no_bom_is_said_and_what_nothing_has_is_not_found(stage: Stage, tenant: Tenant) -> None:
    bare = next(variant for variant in live(tenant, "variants") if variant["material_id"])
    answer = await stage.call("get_bom", skus_or_variant_ids=[bare["id"], "nothing-has-this"])
    assert [(row["level"], row["variant_id"]) for row in answer["rows"]] == [(0, bare["id"])]
    assert answer["without"] == [bare["id"]]
    assert [missing["asked"] for missing in answer["not_found"]] == ["nothing-has-this"]


async def test_an_ingredient_that_is_gone_is_marked(stage: Stage, tenant: Tenant) -> None:
    row = next(
        bom_row for bom_row in tenant.all("bom_rows") if bom_row["product_variant_id"] == products(tenant)[0]["id"]
    )
    tenant.delete("variants", row["ingredient_variant_id"])
    answer = await stage.call("get_bom", skus_or_variant_ids=[row["product_variant_id"]])
    assert [line["variant_id"] for line in answer["rows"] if line.get("deleted")] == [row["ingredient_variant_id"]]


async def test_a_quantity_that_is_not_known_leaves_the_totals_below_it_unknown(stage: Stage, tenant: Tenant) -> None:
    frame, wheel, *_ = products(tenant)
    row = needs(tenant, frame, wheel, 2)
    tenant.edit("bom_rows", row["id"], quantity=None)
    answer = await stage.call("get_bom", skus_or_variant_ids=[frame["id"]], limit=250)
    unknown = [line for line in answer["rows"] if line["level"] and "total_quantity" not in line]
    assert {line["level"] for line in unknown} == {1, 2}
    assert all("quantity" in line for line in unknown if line["level"] == 2)


async def test_lines_come_in_pages_that_fit(stage: Stage, tenant: Tenant) -> None:
    ids = [product["id"] for product in products(tenant)]
    rows, total = await rows_of_cut_pages(stage, "get_bom", 250, skus_or_variant_ids=ids)
    seen = {(row["level"], row.get("parent_variant_id"), row["variant_id"]) for row in rows}
    assert len(seen) == total > 400


async def test_a_bom_that_doubles_with_each_level_is_cut_and_says_so(stage: Stage, tenant: Tenant) -> None:
    chain = products(tenant)[:14]
    for upper, lower in pairwise(chain):
        needs(tenant, upper, lower, 1)
        needs(tenant, upper, lower, 2)
    answer = await stage.call("get_bom", skus_or_variant_ids=[chain[0]["id"]])
    assert answer["total"] == 5_000
    assert "the first 5000 lines" in answer["warnings"][0]["message"]
    few = await stage.call("get_bom", skus_or_variant_ids=[chain[0]["id"]], levels=2)
    assert few["warnings"] == []
