"""What a process was doing: thread dumps and tracebacks."""
