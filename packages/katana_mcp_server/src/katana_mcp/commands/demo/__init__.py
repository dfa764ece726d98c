"""The main job, shown: a sandbox, the real server as a subprocess, a real MCP client, a working session."""
