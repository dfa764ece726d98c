"""What does not vary by entity: the words an entity is declared in, and search, list and get, written once."""
