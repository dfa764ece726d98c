"""The cache contract: one suite that is the specification of every backend."""
