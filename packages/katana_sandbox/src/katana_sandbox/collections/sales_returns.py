"""Sales returns: no operation of their own here, but an order that has one can not be deleted."""

from katana_sandbox.descriptor import Collection

SALES_RETURNS = Collection(name="sales_returns", entity="sales return", foreign_keys=("sales_order_id",))
