"""Durable memory: one database, and one transaction for everything that belongs together."""
