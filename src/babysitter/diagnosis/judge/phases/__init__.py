"""One file for each phase of a watch, and the table of phases."""
