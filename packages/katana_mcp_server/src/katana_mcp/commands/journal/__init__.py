"""The commands `katana-mcp journal …`: what was planned and applied, for people and programs."""
