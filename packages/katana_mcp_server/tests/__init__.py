"""How the server's tools behave, on a sandbox, when all is well and when it is not."""
