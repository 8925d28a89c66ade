"""Ladder files: shape, steps, checks, and what to do next."""
