"""What a job prints again and again: its regular lines, those that stopped, and failures in their place."""
