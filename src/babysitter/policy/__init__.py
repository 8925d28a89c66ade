"""What to do about a verdict, pure: verdict and open incidents in, intents out."""
