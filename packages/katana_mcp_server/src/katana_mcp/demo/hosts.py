"""How to connect the hosts that people use; the key stays in the environment, never on a command line."""

CONNECT = """\
Connect your assistant (sandbox first; with KATANA_API_KEY set, leave --sandbox out):

  Claude Code      claude mcp add katana -- {command} serve --sandbox
  Claude Desktop   Settings, Developer, Edit Config (claude_desktop_config.json):
                   {{"mcpServers": {{"katana": {{"command": "{command}", "args": ["serve", "--sandbox"]}}}}}}
  Cursor           the same JSON in ~/.cursor/mcp.json
  VS Code          .vscode/mcp.json:
                   {{"servers": {{"katana": {{"command": "{command}", "args": ["serve", "--sandbox"]}}}}}}

For your own account put the key into "env": {{"KATANA_API_KEY": "..."}} beside "args", or into .env."""
