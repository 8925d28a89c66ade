"""Secrets that are recognised by the words around them."""
