"""The wire: JSON, errors, body schemas, queries and pages, as the API speaks them."""
