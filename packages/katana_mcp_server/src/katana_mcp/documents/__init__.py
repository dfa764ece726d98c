"""Documents that are written, declared: two states of a record and one diff give everything that a plan holds."""
