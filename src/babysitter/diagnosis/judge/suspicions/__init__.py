"""One file for each suspicion about a running job, and the list that all phases share."""
