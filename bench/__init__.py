"""`python -m bench`: both caches, the client, the sandbox and the server, beside their floors, in one run."""
