"""What Slack's refusals mean for the outbox: never again, later, or perhaps it arrived. Pure."""

import asyncio
from typing import Any

from babysitter.notify.notifier import NotifyError
from babysitter.retry_after import parse_retry_after

# Slack refuses the form of the message; another form may pass.
CONTENT_ERRORS = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_too_long",
        "no_text",
        "invalid_metadata_format",
        "metadata_too_large",
    }
)
# This one message can never be said or changed again.
FINAL_ERRORS = CONTENT_ERRORS | {
    "message_not_found",
    "cant_update_message",
    "edit_window_closed",
    "thread_not_found",
    "cannot_reply_to_message",
    "messages_tab_disabled",
    "user_not_in_channel",
    "user_not_found",
}
# A person has to mend something; messages wait for it rather than being lost.
MENDABLE_ERRORS = {
    "invalid_auth": "Slack does not accept the bot token; check it with `babysit slack check`",
    "not_authed": "no bot token is configured; see docs/slack.md",
    "account_inactive": "the Slack app was removed from the workspace; install it again",
    "token_revoked": "the bot token was revoked; install the app again and configure the new token",
    "token_expired": "the bot token has expired; configure a new one",
    "not_allowed_token_type": "this is not a bot token; bot tokens begin with xoxb-",
    "missing_scope": "the Slack app lacks a scope; compare it with `babysit slack manifest`",
    "channel_not_found": "the channel does not exist, or is private and lacks the app: /invite @babysit",
    "not_in_channel": "the app is not in the channel; invite it: /invite @babysit",
    "is_archived": "the channel is archived; configure another one",
    "restricted_action": "the workspace does not let apps post in this channel",
}
CONFIG_ERROR_RETRY_S = 60.0


class SlackRefused(NotifyError):
    """A NotifyError that keeps Slack's own word for it."""

    def __init__(self, sentence: str, *, code: str, **marks: Any) -> None:
        super().__init__(sentence, **marks)
        self.code = code


def translate(error: Exception) -> SlackRefused:
    """Any failure of a call to Slack, as the outbox understands it."""
    from slack_sdk.errors import SlackApiError  # heavy; only where Slack is in use

    if isinstance(error, SlackRefused):
        return error
    if isinstance(error, SlackApiError):
        return _refusal(error.response)
    return _lost(error)


def _refusal(response: Any) -> SlackRefused:
    status = int(getattr(response, "status_code", 200) or 200)
    body = getattr(response, "data", None)
    code = str(body.get("error", "")) if isinstance(body, dict) else ""
    if status == 429 or code in ("ratelimited", "rate_limited"):
        return SlackRefused(
            "Slack asks for a pause.", code="ratelimited", retry_after_s=_retry_after_s(response)
        )
    if code in FINAL_ERRORS:
        return SlackRefused(f"Slack refuses this message: {code}.", code=code, is_final=True)
    if code in MENDABLE_ERRORS:
        return SlackRefused(
            f"Slack: {MENDABLE_ERRORS[code]} ({code}).", code=code, retry_after_s=CONFIG_ERROR_RETRY_S
        )
    # internal_error, fatal_error and 5xx may come after the message was accepted.
    if not code and status < 300:
        return SlackRefused(
            "What answers in Slack's place makes no sense; is a proxy in between?",
            code="nonsense",
            is_doubtful=True,
        )
    what = code or f"status {status}"
    return SlackRefused(f"Slack could not do it: {what}.", code=code, is_doubtful=True)


def _retry_after_s(response: Any) -> float:
    headers = getattr(response, "headers", None) or {}
    named = next((headers[name] for name in headers if str(name).lower() == "retry-after"), None)
    return max(1.0, parse_retry_after(str(named)) or 0.0)


def _lost(error: Exception) -> SlackRefused:
    """No answer. Doubtful unless the connection was never made."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorError):
        return SlackRefused("Slack cannot be reached.", code="unreachable")
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return SlackRefused("Slack did not answer in time.", code="timeout", is_doubtful=True)
    if isinstance(error, (aiohttp.ClientError, OSError)):
        return SlackRefused("The connection to Slack broke.", code="broken", is_doubtful=True)
    return SlackRefused(
        f"Slack's answer was not understood ({type(error).__name__}).", code="nonsense", is_doubtful=True
    )
