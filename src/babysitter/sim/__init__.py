"""A cluster in a box: speaks the wire protocol of Iris (May 2026) and plays scenarios.

Imports nothing of the rest: if both sides shared the code that spells a field name, one misreading
would be in both. Its answers are held against recordings of real clusters.
"""
