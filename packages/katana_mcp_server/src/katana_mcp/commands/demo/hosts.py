"""How to connect the hosts that people use; the key stays in the environment, never on a command line."""

CONNECT = """\
Connect your assistant (sandbox first):

  {command} install HOST --sandbox

HOST is claude-desktop, claude-code, cursor, vscode or goose; print shows what other hosts read:

  {{"mcpServers": {{"katana": {{"command": "{command}", "args": ["serve", "--sandbox"]}}}}}}

For your own account leave --sandbox out, with the key in KATANA_API_KEY or in a file that --env-file names."""
