"""Measured values of training: losses, values that are not a number, saved checkpoints."""
