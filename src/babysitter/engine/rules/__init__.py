"""The rules in force while the service runs."""
