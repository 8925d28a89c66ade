"""Ray: jobs, actors, nodes and logs, read over HTTP from the dashboard and the agents. Read only."""
