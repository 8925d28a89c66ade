"""Log files of a Ray job, and what the cluster says in them."""
