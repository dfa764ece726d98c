"""Customers with addresses; two of them share a name."""

from typing import NamedTuple

from katana_sandbox.factory.loader import DAY, Life, Loader
from katana_sandbox.factory.names import CITIES, FIRST, LAST, SHOPS, STREETS

_AGE = 900 * DAY


class Buyer(NamedTuple):
    """What an order needs to know of a customer."""

    customer_id: int
    currency: str
    address: dict[str, str | None]


def load_customers(loader: Loader, total: int) -> list[Buyer]:
    """So many customers; every 37th is deleted and gets no orders."""
    buyers: list[Buyer] = []
    for position in range(total):
        created = loader.now - _AGE + int(position / total * (_AGE - 40 * DAY)) + loader.rng.randrange(DAY)
        deleted = position % 37 == 36
        life = loader.life(created, deleted=deleted)
        buyer = _load_customer(loader, position, life)
        if not deleted:
            buyers.append(buyer)
        loader.report("customers", position + 1, total)
    return buyers


def _load_customer(loader: Loader, position: int, life: Life) -> Buyer:
    rng = loader.rng
    first, last = rng.choice(FIRST), LAST[position % len(LAST)]
    company = SHOPS[position // len(LAST) % len(SHOPS)].format(last) if position % 3 else None
    number = position // (len(LAST) * len(SHOPS))
    name = f"{company or f'{first} {last}'}{f' {number + 1}' if number else ''}"
    if position == 5:
        name, company = "Velo Berger", "Velo Berger"
    elif position == 17:
        name, company = "Velo Berger", None
    city, code, country = CITIES[position % len(CITIES)]
    address: dict[str, str | None] = {
        "first_name": first,
        "last_name": last,
        "company": company,
        "phone": f"+372 555 {position % 10000:04d}",
        "line_1": f"{STREETS[position % len(STREETS)]} {position % 90 + 1}",
        "line_2": "Rear entrance" if position % 9 == 0 else None,
        "city": city,
        "state": None,
        "zip": code,
        "country": country,
    }
    customer_id = loader.ctx.db.next_id("customers")
    ids = {
        kind: loader.number(
            "customer_addresses",
            {"customer_id": customer_id, "entity_type": kind, "default": True, **address},
            Life(life.created, life.updated, None, life.deleted),
        )
        for kind in ("billing", "shipping")
    }
    currency = "USD" if position % 11 == 4 else "GBP" if country == "GB" else "EUR"
    fields = {
        "name": name,
        "first_name": first,
        "last_name": last,
        "company": company,
        "email": f"customer{position + 1}@example.com",
        "phone": address["phone"],
        "comment": None,
        "currency": currency,
        "reference_id": f"C-{position + 1:05d}" if position % 2 else None,
        "category": "Dealer" if company else None,
        "discount_rate": 10 if position % 4 == 1 else None,
        "default_billing_id": ids["billing"],
        "default_shipping_id": ids["shipping"],
    }
    loader.put("customers", fields, life, key=customer_id)
    return Buyer(customer_id, currency, address)
