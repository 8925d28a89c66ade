"""A Slack workspace in a box: the Web API and Socket Mode on loopback. Imports nothing of ours.

The real `slack_sdk` clients, pointed at `SlackServer.base_url`, notice no difference. What it promises,
and where each promise was read, is in docs/slack-protocol.md.
"""

from babysitter.sim.slack.workspace_server import SlackServer

__all__ = ["SlackServer"]
