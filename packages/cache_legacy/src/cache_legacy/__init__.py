"""The JSON-blob cache backend that the typed cache replaces."""
