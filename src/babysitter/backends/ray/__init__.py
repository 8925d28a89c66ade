"""Ray, over HTTP: its jobs, actors, nodes and logs are read, its jobs stopped and submitted."""
