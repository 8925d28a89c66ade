"""What to do about a verdict: policy, pure. Verdict and ledger in, intents out."""
