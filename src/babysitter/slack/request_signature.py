"""Is this HTTP request from Slack, fresh, and new? Pure but for the memory of what was seen."""

import hashlib
import hmac
from collections import OrderedDict
from datetime import datetime, timedelta

MAX_REQUEST_AGE = timedelta(minutes=5)
MAX_SIGNATURES_KEPT = 20_000


class SignatureCheck:
    """Checks Slack's v0 signature. One per endpoint: it remembers what it let in."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._seen: OrderedDict[str, datetime] = OrderedDict()

    def fault(self, timestamp: str, signature: str, body: bytes, *, now: datetime) -> str:
        """Why this request is refused, or "". Says nothing that helps a forger."""
        if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
            return "the timestamp is missing or malformed"
        if abs(now.timestamp() - int(timestamp)) > MAX_REQUEST_AGE.total_seconds():
            return "the request is too old"
        wanted = (
            "v0="
            + hmac.new(self._secret, b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        )
        if not hmac.compare_digest(wanted.encode(), signature.encode("utf-8", "replace")):
            return "the signature does not fit"
        if wanted in self._seen:
            return "the request was seen before"
        self._remember(wanted, now)
        return ""

    def _remember(self, signature: str, now: datetime) -> None:
        """Keep it for as long as its timestamp would be accepted (which may lie ahead of our clock)."""
        self._seen[signature] = now
        while self._seen:
            oldest, seen_at = next(iter(self._seen.items()))
            if now - seen_at <= 2 * MAX_REQUEST_AGE and len(self._seen) <= MAX_SIGNATURES_KEPT:
                return
            del self._seen[oldest]
