"""The cache of a Katana factory: one protocol, its text rules and its sync doctrine, for every backend.

Refuses to know any client, SQL or HTTP library: data arrives as records through the `Source` port.
"""
