"""Commands that find a cause, and those for people who write rules."""
