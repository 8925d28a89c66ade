"""Watching every new job that matches a pattern."""
