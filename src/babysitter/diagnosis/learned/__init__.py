"""What lines mean and what verdicts are worth, by weights learned from labelled examples."""
