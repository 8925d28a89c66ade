"""An incident as text: the same words for Slack, the terminal and programs. Pure."""
