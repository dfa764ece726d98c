"""How much of an item each location keeps, and in which bin: `modify_safety_stock`."""
