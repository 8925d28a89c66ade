"""Secrets that are recognised by the format they stand in: addresses, headers, keys, dumps, SQL."""
