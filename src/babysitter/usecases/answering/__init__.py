"""Requests, and the answers of people to them."""
