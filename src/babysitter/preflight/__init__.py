"""Faults of a submission before it is made. Pure: facts in, findings out; one function and id per check."""
