"""What is wrong with a job: from raw lines to a verdict. Pure. The entry is `pipeline.py`."""
