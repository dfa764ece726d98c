"""The sandbox judged by a client and a server that nobody here wrote, in an environment of their own."""
