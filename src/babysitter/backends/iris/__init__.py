"""Iris: one client, two ways to ask (HTTP, the user's `iris` command), three generations of controllers."""
