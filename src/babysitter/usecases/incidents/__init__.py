"""Incidents: explained, remembered, taught, shared."""
