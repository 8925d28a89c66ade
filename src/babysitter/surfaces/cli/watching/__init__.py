"""Commands about watched jobs."""
