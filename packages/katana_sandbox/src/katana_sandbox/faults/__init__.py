"""Faults: which requests they strike, and what they do to them."""
