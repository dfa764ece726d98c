"""The typed cache backend: SQLModel tables with a full-text sidecar.

Import `cache_typed.backend`; this package itself loads no SQL library, so that a start does not pay for it.
"""
