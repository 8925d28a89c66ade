"""Phases, suspicions, the root cause and the advised action: the verdict."""
