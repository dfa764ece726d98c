"""`python -m mutants`: puts bugs that the field has had back in, one at a time; the tests must notice each."""
