"""State: one store per collection, kept as JSON bytes with sorted indexes, and an undo log over all of them."""
