"""Commands that run the service or set it up."""
