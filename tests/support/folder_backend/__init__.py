"""A backend for tests: jobs are files in a folder. Written against docs/backends.md alone.

`NAME.json` is a job: {"state": "running", "command": [...]}; `NAME.log` is what it prints.
"""
