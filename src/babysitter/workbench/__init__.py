"""Offline tools for people who write rules: evaluate, replay, record, rule tests."""
