"""What Slack sends when somebody presses a button, and how it signs it."""

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import urlencode

from babysitter.sim.slack.workspace import Message, User, Workspace


def block_actions(
    workspace: Workspace, user: User, message: Message, action_id: str, value: str, *, team: str
) -> dict[str, Any]:
    """The payload of one pressed button."""
    channel = workspace.channels[message.channel]
    moment = workspace.next_ts()
    return {
        "type": "block_actions",
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team},
        "api_app_id": workspace.app_id,
        "token": "made-up-verification-token",
        "container": {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": channel.id,
            "is_ephemeral": False,
            **({"thread_ts": message.thread_ts} if message.thread_ts else {}),
        },
        "trigger_id": f"{moment}.{workspace.next_id('TR')}",
        "team": {"id": team, "domain": "simulated"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": channel.id, "name": channel.name},
        "message": workspace.as_wire(message),
        "state": {"values": {}},
        "response_url": f"https://hooks.slack.com/actions/{team}/{workspace.next_id('R')}",
        "actions": [
            {
                "action_id": action_id,
                "block_id": _block_of(message, action_id),
                "action_ts": moment,
                **_chosen(message, action_id, value),
            }
        ],
    }


def _chosen(message: Message, action_id: str, value: str) -> dict[str, Any]:
    """What a press says of the button, or of the option of a menu."""
    menu = next((candidate for candidate in message.menus if candidate["action_id"] == action_id), None)
    if menu is not None:
        option = next((candidate for candidate in menu["options"] if candidate["value"] == value), None)
        return {"type": "static_select", "selected_option": option, "placeholder": menu["placeholder"]}
    label = {"type": "plain_text", "text": _label_of(message, action_id), "emoji": True}
    return {"type": "button", "text": label, "value": value}


def as_form(payload: dict[str, Any]) -> bytes:
    """An interaction as its HTTP body: one form field holding JSON."""
    return urlencode({"payload": json.dumps(payload)}).encode()


def signed(body: bytes, secret: str, *, at: int) -> dict[str, str]:
    """The headers of a request that Slack signed at this second."""
    signature = hmac.new(secret.encode(), b"v0:%d:%s" % (at, body), hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": str(at),
        "X-Slack-Signature": f"v0={signature}",
        "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
    }


def _block_of(message: Message, action_id: str) -> str:
    for number, block in enumerate(message.blocks):
        if any(element.get("action_id") == action_id for element in block.get("elements", ())):
            return str(block.get("block_id") or f"b{number}")
    return "gone"


def _label_of(message: Message, action_id: str) -> str:
    found = next((button for button in message.buttons if button.get("action_id") == action_id), None)
    return str(found["text"]["text"]) if found else "gone"
