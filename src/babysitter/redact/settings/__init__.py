"""Secrets behind the name of a setting: names, signs, and what a value looks like."""
