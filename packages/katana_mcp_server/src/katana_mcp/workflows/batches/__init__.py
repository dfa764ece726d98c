"""Batches made and changed: `modify_traceability`. Serial numbers come with what is made or received."""
