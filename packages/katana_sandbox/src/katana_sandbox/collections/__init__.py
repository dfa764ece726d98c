"""One module per collection: what it holds, takes, filters and embeds, and the rules of its own."""
