"""Jobs submitted to Ray, first and again."""
