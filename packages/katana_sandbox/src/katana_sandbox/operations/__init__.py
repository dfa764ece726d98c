"""One module per operation; each reads the descriptor of the collection it is called for."""
