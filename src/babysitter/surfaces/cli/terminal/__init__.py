"""What commands share: options, the console, JSON replies."""
