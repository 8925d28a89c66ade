"""Runs that are known by their session folder only, on this and other machines."""
