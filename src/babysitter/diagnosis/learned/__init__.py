"""Causes by the words of a whole log, with weights learned from labelled incidents."""
