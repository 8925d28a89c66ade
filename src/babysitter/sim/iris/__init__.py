"""A cluster in a box: plays scenarios and speaks the wire protocol of Iris as of April, May or August 2026.

Imports nothing of the rest: if both sides shared the code that spells a field name, one misreading
would be in both. Its answers are held against recordings of real clusters.

`scenarios/*.yaml` say what a job does, `scenario_run.py` plays one on a `cluster.py`, `calls.py` answers
questions about it, `controller.py` is the door. A new scenario is one file in `scenarios/`; `scenario.py`
lists its words.
"""
