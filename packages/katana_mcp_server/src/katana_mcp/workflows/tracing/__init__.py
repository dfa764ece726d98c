"""Where a batch, a serial number or what an order holds came from and went: `trace`, and what it is made of."""
