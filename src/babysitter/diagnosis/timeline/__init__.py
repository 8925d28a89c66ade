"""What happened to a job and its tasks over time: progress, pace, tracebacks, dumps."""
