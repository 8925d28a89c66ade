"""A second opinion on a diagnosis from a reader of the evidence: what it is shown, what its answer changes.

Pure, except for `exchange.py`: a pack of numbered and redacted lines goes out, an answer with quotes comes
back, untrue quotes are dropped (`verify.py`), and `combine.py` says what is displayed. Nothing here acts.
"""
