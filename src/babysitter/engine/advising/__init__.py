"""Second opinions: what is asked, at which cost, and by whom."""
