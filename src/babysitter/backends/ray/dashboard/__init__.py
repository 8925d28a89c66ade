"""The dashboard of a Ray cluster: its address, requests and answers."""
