"""Signed JSON to any URL. For chat systems and pagers that babysit does not know.

The receiver checks `X-Babysit-Signature: t=<unix seconds>,v1=<hex>`, an HMAC-SHA256 of `<t>.<body>` with
the shared secret, and drops an `X-Babysit-Delivery` id that it has seen: a repeat after a lost answer
carries the same id. There is nothing to press in a webhook; answers are given in Slack or in a terminal.
"""

import hashlib
import hmac
import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from babysitter.clock import Clock
from babysitter.messages.job_page import for_others
from babysitter.model.message import Message, MessageContent
from babysitter.notify.notifier import NotifyError, Receipt
from babysitter.retry_after import parse_retry_after

if TYPE_CHECKING:
    import aiohttp

CALL_TIMEOUT_S = 10.0
FINAL_STATUSES = frozenset({400, 405, 410, 413, 415, 422})  # the same body will never do
CONFIG_ERROR_RETRY_S = 60.0


class WebhookNotifier:
    """Tells one URL. Nothing is ever edited, so live state is not sent."""

    name = "webhook"
    edits = False
    is_daily = False

    def __init__(self, url: str, secret: str, clock: Clock) -> None:
        self._url = url
        self._secret = secret.encode()
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None

    @property
    def description(self) -> str:
        return f"webhook at {urlsplit(self._url).hostname or 'an unknown host'}"

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        """Post; a repeat is marked by its unchanged delivery id."""
        import aiohttp

        body = json.dumps(as_json(message, is_repeat=is_repeat), ensure_ascii=False).encode()
        try:
            async with self._open_session().post(
                self._url, data=body, headers=self._headers(message, body), allow_redirects=False
            ) as answer:
                _check(answer)
        except aiohttp.ClientConnectorError as error:
            raise NotifyError("The webhook cannot be reached.") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise NotifyError("The webhook did not answer.", is_doubtful=True) from error
        return Receipt(place="webhook", handle=message.id, thread=thread.handle if thread else "")

    async def edit(self, receipt: Receipt, message: Message) -> None:  # noqa: ARG002
        raise NotifyError("A webhook message cannot be edited.", is_final=True)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _open_session(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_TIMEOUT_S))
        return self._session

    def _headers(self, message: Message, body: bytes) -> dict[str, str]:
        at = int(self._clock.now().timestamp())
        return {
            "Content-Type": "application/json",
            "X-Babysit-Delivery": message.id,
            "X-Babysit-Signature": f"t={at},v1={sign(body, self._secret, at=at)}",
        }


def sign(body: bytes, secret: bytes, *, at: int) -> str:
    """The signature of a body sent at this second, in hex."""
    return hmac.new(secret, b"%d.%s" % (at, body), hashlib.sha256).hexdigest()


def as_json(message: Message, *, is_repeat: bool = False) -> dict[str, object]:
    """What a receiver gets. Fields are only ever added."""
    return {
        "id": message.id,
        "occasion": message.occasion.value,
        "conversation": message.conversation,
        "watch": message.watch,
        "incident": message.incident,
        "proposal": message.proposal,
        "created_at": message.created_at.isoformat(),
        "mentions_on_call": message.mentions_on_call,
        "mentions": list(message.mentions),
        "is_repeat": is_repeat,
        "words": _words(for_others(message.words)),
    }


def _words(words: MessageContent) -> dict[str, object]:
    return {
        "title": words.title,
        "sentence": words.sentence,
        "cause": words.cause,
        "severity": words.severity,
        "confidence": words.confidence,
        "evidence": list(words.evidence),
        "recovery": words.recovery,
        "price": words.price,
        "commands": list(words.commands),
        "commands_are": words.commands_are,
        "change": words.change,
        "budget": words.budget,
        "notes": [{"name": name, "value": value} for name, value in words.notes],
        "expires_at": words.expires_at.isoformat() if words.expires_at else None,
        "decided": words.decided,
        "fields": [{"name": name, "value": value} for name, value in words.fields],
        "page": words.page,
    }


def _check(answer: "aiohttp.ClientResponse") -> None:
    status = answer.status
    if status < 300:
        return
    if status in FINAL_STATUSES:
        raise NotifyError(f"The webhook refuses this message (status {status}).", is_final=True)
    pause_s = parse_retry_after(answer.headers.get("Retry-After"))
    if status in (429, 503) and pause_s is not None:
        raise NotifyError(
            "The webhook asks for a pause.", retry_after_s=max(1.0, pause_s), is_doubtful=status == 503
        )
    if status == 429:
        raise NotifyError("The webhook asks for a pause.", retry_after_s=1.0)
    if status < 500:
        raise NotifyError(
            f"The webhook answers with status {status}; check its URL and secret.",
            retry_after_s=CONFIG_ERROR_RETRY_S,
        )
    raise NotifyError(f"The webhook failed with status {status}.", is_doubtful=True)
