"""Business rules that more than one collection obeys."""
