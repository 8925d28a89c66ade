"""`Retry-After`: seconds, within reason, whatever a server sends."""

from types import SimpleNamespace

import pytest

from babysitter.retry_after import MAX_RETRY_AFTER_S, parse_retry_after
from babysitter.slack.api_errors import _retry_after_s


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        ("30", 30.0),
        ("1.5", 1.5),
        ("-5", 0.0),
        ("86400", MAX_RETRY_AFTER_S),
        ("1e309", MAX_RETRY_AFTER_S),
        ("inf", MAX_RETRY_AFTER_S),
        ("9" * 400, MAX_RETRY_AFTER_S),
        ("nan", None),
        ("Fri, 20 Nov 2026 12:00:00 GMT", None),
        ("soon", None),
    ],
)
def test_retry_after_is_bounded(header: str | None, seconds: float | None):
    assert parse_retry_after(header) == seconds


@pytest.mark.parametrize(("header", "seconds"), [("86400", 300.0), ("nan", 1.0), ("0", 1.0), ("x", 1.0)])
def test_slack_pause_is_bounded(header: str, seconds: float):
    assert _retry_after_s(SimpleNamespace(headers={"Retry-After": header})) == seconds
