"""A believable account: an e-bike workshop with parts, customers and orders, the same for the same seed."""
