"""Clients of the launch protocol: Iris, Ray, this machine, tests."""
