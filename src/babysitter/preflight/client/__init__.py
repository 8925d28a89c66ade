"""Checks of the client that submits: options, limits, login, names, bundle, variables."""
