"""How a shell reads the line of a command."""
