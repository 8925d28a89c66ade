"""Checks of what a job asks for: accelerators, memory, machines, priority."""
