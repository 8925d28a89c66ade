"""Submitting a job, and the command of a watch."""
