"""Simulators of a cluster and of a Slack workspace. They import nothing of ours."""
