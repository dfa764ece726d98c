"""`python -m mutants.drawn`: puts in bugs that nobody chose, drawn at random; the tests must notice nearly all."""
