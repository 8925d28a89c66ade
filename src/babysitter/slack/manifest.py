"""The Slack app's manifest, with the least rights that do the work. Pure.

Every scope has its reason beside it; `slack check` compares these with what the token was given.
"""

from collections.abc import Mapping
from typing import Any

SCOPES: Mapping[str, str] = {
    "chat:write": "post and edit its own messages, answer one person",
    "channels:history": "read its thread back after a crash, so that nothing is posted twice",
    "groups:history": "the same in private channels",
    "files:write": "attach evidence that does not fit into a message",
    "users:read": "tell people from bots and from other workspaces",
    "usergroups:read": "let a user group approve, such as the on-call",
}
EVENTS: Mapping[str, str] = {
    "message.channels": "hear its own messages come back: a deaf connection is noticed by this",
    "message.groups": "the same in private channels",
}
APP_TOKEN_SCOPE = "connections:write"
DESCRIPTION = "Watches long-running cluster jobs, says what broke and why, restarts only what you approve."


def manifest(*, name: str = "babysit", request_url: str = "") -> dict[str, Any]:
    """The manifest as Slack takes it. `request_url`: for HTTP instead of Socket Mode, a public https URL."""
    by_socket = not request_url
    interactivity: dict[str, Any] = {"is_enabled": True}
    events: dict[str, Any] = {"bot_events": sorted(EVENTS)}
    if request_url:
        # Over HTTP there is no socket that could go deaf, and every event would cost a request.
        interactivity["request_url"] = request_url
        events = {}
    return {
        "display_information": {
            "name": name,
            "description": DESCRIPTION,
            "background_color": "#1f3a5f",
        },
        "features": {"bot_user": {"display_name": name, "always_online": True}},
        "oauth_config": {"scopes": {"bot": sorted(SCOPES)}},
        "settings": {
            **({"event_subscriptions": events} if events else {}),
            "interactivity": interactivity,
            "org_deploy_enabled": False,
            "socket_mode_enabled": by_socket,
            "token_rotation_enabled": False,
        },
    }


def as_yaml(built: Mapping[str, Any]) -> str:
    """For pasting into "Create New App, From an app manifest"."""
    import yaml

    return yaml.safe_dump(dict(built), sort_keys=False, allow_unicode=True)
