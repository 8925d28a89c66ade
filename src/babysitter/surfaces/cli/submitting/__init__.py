"""Commands that start jobs, or check that they could be started."""
