"""What a person starts from the command line; none of it is known to the server."""
