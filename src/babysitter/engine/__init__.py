"""The running service: check, observe, commit, deliver, schedule, restart."""
