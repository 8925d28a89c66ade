"""The tables, and the way to them from any earlier schema."""
