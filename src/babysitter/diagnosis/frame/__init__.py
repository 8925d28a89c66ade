"""Raw bytes become lines: time, level, program, speaker, rank, message."""
