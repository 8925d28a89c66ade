"""Everything of Slack: posting, clicks, Socket Mode, the HTTP endpoint, blocks, members, the manifest."""
