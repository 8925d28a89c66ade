"""One function for each thing that a person or a program can ask for."""
