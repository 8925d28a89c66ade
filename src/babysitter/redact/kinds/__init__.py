"""Secrets that are recognised by their own look: tables of tokens, with sources."""
