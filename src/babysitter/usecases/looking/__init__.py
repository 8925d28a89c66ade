"""Looks at jobs and texts that change nothing."""
