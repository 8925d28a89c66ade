"""What is different from the last good run: new, missing and changed lines, and durations. Pure."""
