"""From a request to a change in Katana: planned, shown, applied once, and told truthfully."""
