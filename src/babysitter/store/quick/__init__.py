"""Reads and writes with sqlite3 alone, for commands that must be fast (docs/adr/0010)."""
