"""Questions to a controller, and its answers as values."""
