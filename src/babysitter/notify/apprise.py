"""Mail and some hundred services (Teams, Discord, Telegram, ntfy, Pushover, ...) through `apprise`.

One notifier per URL, so that one service that fails is retried alone. The URLs hold passwords and tokens:
nothing here names more of one than its scheme.
"""

import asyncio
import importlib.util
import logging
import re
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from babysitter.messages.attention import one_line
from babysitter.messages.job_page import for_others
from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageKind
from babysitter.notify.console import as_text
from babysitter.notify.notifier import NotifyError, Receipt

if TYPE_CHECKING:
    import apprise

CALL_TIMEOUT_S = 30.0
RETRY_INTERVAL_S = 60.0  # apprise does not say what a service asked for
MAX_TITLE_CHARACTERS = 200
MAX_BODY_CHARACTERS = 8_000
MAX_REMEMBERED = 200

# What many chat services take for a call to everybody, wherever it stands in a text.
_MENTION = re.compile(r"@(?=everyone\b|here\b|channel\b|all\b)|(?<=<)[@!#]", re.IGNORECASE)


class AppriseNotifier:
    """Tells one URL. Nothing is ever edited, so live state is not sent."""

    edits = False
    is_daily = True

    def __init__(self, url: str, *, number: int, timeout_s: float = CALL_TIMEOUT_S) -> None:
        """`number`: place of the URL in the settings, from 1."""
        self.scheme = scheme_of(url)
        self.name = f"apprise-{number}-{self.scheme}"
        self._url = url
        self._timeout_s = timeout_s
        self._app: apprise.Apprise | None = None
        self._sent: deque[MessageId] = deque(maxlen=MAX_REMEMBERED)

    @property
    def description(self) -> str:
        kind = "mail" if self.scheme.startswith("mailto") else self.scheme
        return f"{kind} by apprise"

    async def verify(self) -> None:
        """Raise NotifyError unless apprise understands the URL. Contacts nobody."""
        await asyncio.to_thread(self._opened)

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        """Send. A repeat after a restart of the service may arrive twice; its text has the same id."""
        if not (is_repeat and message.id in self._sent):
            await self._send(message)
            self._sent.append(message.id)
        return Receipt(place=self.name, handle=message.id, thread=thread.handle if thread else "")

    async def edit(self, receipt: Receipt, message: Message) -> None:  # noqa: ARG002
        raise NotifyError("What apprise sent cannot be edited.", is_final=True)

    async def close(self) -> None: ...

    async def _send(self, message: Message) -> None:
        app = await asyncio.to_thread(self._opened)  # importing it takes a third of a second
        try:
            async with asyncio.timeout(self._timeout_s):
                arrived = await app.async_notify(
                    title=without_mentions(one_line(message.words.title, MAX_TITLE_CHARACTERS)),
                    body=without_mentions(_body(message)),
                    notify_type=kind_of(message),
                    body_format="text",
                )
        except TimeoutError as error:
            raise self._failure("did not answer") from error
        except Exception as error:  # noqa: BLE001  a plugin's own fault; its text may quote the URL
            raise self._failure(f"failed ({type(error).__name__})") from None
        if not arrived:
            raise self._failure("did not take the message")

    def _failure(self, what: str) -> NotifyError:
        return NotifyError(
            f"The service behind {self.name} {what}.", retry_after_s=RETRY_INTERVAL_S, is_doubtful=True
        )

    def _opened(self) -> "apprise.Apprise":
        if self._app is not None:
            return self._app
        if not is_installed():
            raise NotifyError(
                "The package `apprise` is not installed; run `pip install 'babysitter[apprise]'`.",
                retry_after_s=RETRY_INTERVAL_S,
            )
        import apprise

        logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)  # its log quotes hosts and users
        asset = apprise.AppriseAsset(
            storage_mode="memory", app_id="babysit", app_desc="babysit", service_timeout=self._timeout_s
        )
        app = apprise.Apprise(asset=asset)
        if not app.add(self._url):
            raise NotifyError(
                f"apprise does not understand the URL of {self.name} ({self.scheme}://...).",
                retry_after_s=RETRY_INTERVAL_S,
            )
        self._app = app
        return app


def is_installed() -> bool:
    """Return True if the optional package is there, without importing it."""
    return importlib.util.find_spec("apprise") is not None


def scheme_of(url: str) -> str:
    """Return the scheme of a URL, the only part of it that may be shown; "unknown" when there is none."""
    found = re.match(r"([a-z][a-z0-9]{1,30})://", url.strip(), re.IGNORECASE)
    return found[1].lower() if found else "unknown"


def kind_of(message: Message) -> Any:
    """Return apprise's word for how bad it is: failure, warning, success or info."""
    if message.words.severity in ("fatal", "degraded"):
        return "failure" if message.words.severity == "fatal" else "warning"
    return "success" if message.occasion is MessageKind.RESOLVED else "info"


def without_mentions(text: str) -> str:
    """Return the text with calls to everybody broken by an invisible space: a job may have printed one."""
    return _MENTION.sub(lambda found: f"{found[0]}\u200b", text)


def _body(message: Message) -> str:
    text = f"{as_text(replace(message, words=for_others(message.words)))}\n   ({message.id})"
    return text if len(text) <= MAX_BODY_CHARACTERS else f"{text[: MAX_BODY_CHARACTERS - 1]}…"
