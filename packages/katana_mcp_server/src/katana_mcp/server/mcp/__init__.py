"""The only modules that know FastMCP: tools, resources, the server and its doors."""
