"""Whatever codes goods share: a row means the one live variant that it can mean, or is reported with all of these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from server_wire import Wire, live

from katana_mcp.testing import Stage, payload_of, within
from katana_sandbox import ManualClock, Tenant

GOODS = 4
TEXTS = ("QX-71", "qx-71", "8800112233", "Zed 9", "unused-5")
WHEN = "2026-01-01T00:00:00.000Z"


@dataclass(frozen=True)
class Good:
    """What a variant is called, and whether it is there."""

    sku: str | None
    internal: str | None
    registered: str | None
    custom: str | None
    name: str
    state: str

    def names(self) -> dict[str, str]:
        """Return what it is called besides its SKU, the first that counts."""
        given = [("name", self.name), ("custom field Code", self.custom)]
        given += [("barcode", code) for code in (self.registered, self.internal)]
        return {called: by for by, called in given if called}


CALLED = st.none() | st.sampled_from(TEXTS[:4])
ANY = st.builds(
    Good,
    sku=CALLED,
    internal=CALLED,
    registered=CALLED,
    custom=CALLED,
    name=st.sampled_from([*TEXTS[:4], *(f"Plain {nr}" for nr in range(9))]),
    state=st.sampled_from(["live", "live", "live", "archived", "deleted"]),
)


def alike(asked: str, names: Mapping[int, Sequence[str]]) -> list[int]:
    """Return those that are called a text to the letter, else but for case."""
    exact = [key for key, called in names.items() if asked in called]
    return exact or [key for key, called in names.items() if asked.lower() in [name.lower() for name in called]]


def owners(asked: str, goods: Mapping[int, Good]) -> set[int]:
    """Return which variants a text may mean: the specification, in the words of the argument's description."""
    there = {key: good for key, good in goods.items() if good.state == "live"}
    by_sku = {key for key in alike(asked, {key: [good.sku] for key, good in goods.items() if good.sku}) if key in there}
    if by_sku:
        return by_sku
    kinds: Sequence[Mapping[int, Sequence[str]]] = [
        {key: [code for code in (good.internal, good.registered) if code] for key, good in there.items()},
        {key: [good.custom] for key, good in there.items() if good.custom},
        {key: [good.name] for key, good in there.items()},
    ]
    found = {key for names in kinds for key in alike(asked, names)}
    kept = [key for key, good in goods.items() if (good.sku, good.state) == (asked, "archived")]
    return found | {*kept[-1:]}


def set_up(tenant: Tenant, goods: Sequence[Good], field: str) -> dict[int, Good]:
    """Give the first variants of products these names."""
    alone = products_of_one(tenant)[: len(goods)]
    for variant, good in zip(alone, goods, strict=True):
        tenant.edit(
            "variants",
            variant["id"],
            sku=good.sku,
            internal_barcode=good.internal,
            registered_barcode=good.registered,
            custom_fields={} if good.custom is None else {field: good.custom},
            deleted_at=WHEN if good.state == "deleted" else None,
        )
        archived = WHEN if good.state == "archived" else None
        tenant.edit("products", variant["product_id"], name=good.name, archived_at=archived)
    return {variant["id"]: good for variant, good in zip(alone, goods, strict=True)}


def products_of_one(tenant: Tenant) -> list[Wire]:
    """Return the variants that are alone in their product and have no options, whatever their state."""
    by_product: dict[int, list[Wire]] = {}
    for variant in tenant.all("variants"):
        if variant["product_id"]:
            by_product.setdefault(variant["product_id"], []).append(variant)
    return [some[0] for some in by_product.values() if len(some) == 1 and not some[0]["config_attributes"]]


@settings(
    deadline=None, max_examples=10, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(goods=st.lists(ANY, min_size=GOODS, max_size=GOODS))
async def test_a_row_means_the_one_variant_that_it_can_mean_and_all_others_are_reported_at_once(
    stage: Stage, tenant: Tenant, clock: ManualClock, goods: list[Good]
) -> None:
    fields = [
        definition["id"] for definition in tenant.all("custom_field_definitions") if definition["label"] == "Code"
    ]
    body = {"label": "Code", "entity_type": "ProductVariant", "field_type": "shortText", "source": "katana"}
    by_id = set_up(tenant, goods, fields[0] if fields else tenant.create("custom_field_definitions", body)["id"])
    clock.advance(1_000)  # all of it is old, so that the preview reads what has changed
    rows = [{"sku_or_variant_id": text, "quantity": 1, "price_per_unit": 1} for text in TEXTS]
    order = {"customer_id": live(tenant, "customers")[0]["id"], "rows": rows}
    answer = payload_of(await within(clock, 400, stage.result("create_sales_order", order)))
    wrong = {warning["field_path"] for warning in answer["warnings"] if warning["severity"] == "blocking"}
    for nr, (asked, line) in enumerate(zip(TEXTS, answer["lines"], strict=True)):
        meant = owners(asked, by_id)
        assert (f"rows[{nr}].sku_or_variant_id" in wrong) is (len(meant) != 1), (asked, meant, line)
        if len(meant) == 1:
            assert {line["variant_id"]} == meant, (asked, line)
            assert line["match"] in {"SKU", *by_id[line["variant_id"]].names().values()}
        elif meant:
            assert near_of(line) == meant, (asked, line)
    assert ("plan_token" in answer) is (not wrong)


def near_of(line: Mapping[str, Any]) -> set[int]:
    return {row["variant_id"] for row in line["match"]}
