"""The words of a rule with what was captured."""

import pytest

from babysitter.diagnosis.causes.explanation import fill


@pytest.mark.parametrize(
    ("text", "captures", "shown"),
    [
        ("The disk is full.", {}, "The disk is full."),
        ("The module {m} is missing.", {"m": "warcio'"}, "The module warcio is missing."),
        ("It says {m}.", {"m": "'a' and 'b'"}, "It says 'a' and 'b'."),
        ("Versions differ ({m}: {n}).", {"m": "jax"}, "Versions differ."),
        ("Versions differ ({m}: {n}).", {"m": "jax", "n": "1"}, "Versions differ (jax: 1)."),
        ("A path does not exist: {path}", {}, "A path does not exist."),
        ("It ended with an exception ({type}: {text}).", {}, "It ended with an exception."),
        ("{m} is full.", {}, "? is full."),
        ("Nothing for {last_log_age_s} s.", {"last_log_age_s": "1800.0"}, "Nothing for 30 min."),
        ("Nothing for {last_log_age_s} s.", {"last_log_age_s": "32400"}, "Nothing for 9.0 h."),
        ("Nothing for {last_log_age_s} s.", {"last_log_age_s": "90"}, "Nothing for 90 s."),
        ("Read '{{x}}' of {m}.", {"m": "a"}, "Read '{x}' of a."),
    ],
)
def test_fill_shows_what_was_captured(text, captures, shown):
    assert fill(text, captures) == shown
