"""What Katana sends, one module for each collection; rendered from the facts of the API."""
