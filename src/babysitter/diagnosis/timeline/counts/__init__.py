"""Numbers that count work: how far a job is, how fast, and whether anything comes of it."""
