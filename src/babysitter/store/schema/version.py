"""The schema that this code reads and writes. Each earlier one has its step in migrations.py."""

VERSION = 11
