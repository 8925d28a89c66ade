"""Pipelines: the jobs they consist of, their lines, the pace of their stages."""
