"""The workspace as a page in a browser: what people would see, with buttons that press. Pure."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape
from typing import Any

from babysitter.sim.slack.workspace import Ephemeral, Message, Workspace

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1d1c1d; font: 15px/1.47 Lato, Arial, sans-serif; }
main { max-width: 780px; margin: 0 auto; padding: 20px; }
h1 { font-size: 18px; border-bottom: 1px solid #ddd; padding-bottom: 10px; }
.message { display: grid; grid-template-columns: 44px 1fr; gap: 8px; padding: 8px 0; }
.reply { margin-left: 44px; }
.face { width: 36px; height: 36px; border-radius: 8px; background: #1f3a5f; color: #fff; display: grid;
  place-items: center; font-weight: 900; font-size: 18px; }
.who { font-weight: 900; } .app { background: #ececec; color: #616061; font-size: 10px; font-weight: 700;
  border-radius: 2px; padding: 1px 4px; margin: 0 6px; vertical-align: 1px; }
.when, .context { color: #616061; font-size: 12.5px; }
.block { margin: 8px 0; } .header { font-size: 18px; font-weight: 900; margin: 4px 0; }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 6px 16px; }
pre { background: #f8f8f8; border: 1px solid #e0e0e0; border-radius: 4px; padding: 8px 10px; margin: 4px 0;
  font: 12px/1.5 "DejaVu Sans Mono", Menlo, monospace; white-space: pre-wrap; word-break: break-word; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; } form { margin: 0; }
button { font: 700 13px Lato, Arial, sans-serif; padding: 6px 12px; border-radius: 8px;
  border: 1px solid #bbb; background: #fff; color: #1d1c1d; cursor: pointer; }
button.primary { background: #007a5a; border-color: #007a5a; color: #fff; }
button.danger { background: #e01e5a; border-color: #e01e5a; color: #fff; }
.mention { background: #e8f5fa; color: #1264a3; border-radius: 3px; padding: 0 2px; }
hr { border: 0; border-top: 1px solid #ddd; margin: 12px 0; }
.ephemeral { border-left: 3px solid #e8a33d; padding: 4px 10px; margin: 8px 0 8px 44px; background: #fffaf0; }
"""


def page(workspace: Workspace, *, user: str, refresh_s: int | None = 2) -> str:
    """Everything said in the workspace, threads opened, as `user` sees it."""
    parts = []
    for channel in workspace.channels.values():
        parts.append(f"<h1># {escape(channel.name)}</h1>")
        for message in channel.messages.values():
            if not message.is_reply:
                parts.append(_message(message, user))
                parts += [
                    _message(reply, user)
                    for reply in workspace.replies(channel, message.ts)
                    if reply.is_reply
                ]
    parts += [_ephemeral(ephemeral) for ephemeral in workspace.ephemerals if ephemeral.user == user]
    refresh = f'<meta http-equiv="refresh" content="{refresh_s}">' if refresh_s else ""
    people = " ".join(
        f'<a href="?user={escape(other.id)}">{escape(other.name)}</a>'
        for other in workspace.users.values()
        if not other.is_bot
    )
    return _document(f"<p class=context>You are {escape(user)}. Be {people}.</p>{''.join(parts)}", refresh)


def card(message: Message) -> str:
    """One message alone, as a document of its own."""
    return _document(_message(message, ""), "")


def _document(body: str, head: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Simulated Slack</title>{head}'
        f"<style>{STYLE}</style></head><body><main>{body}</main></body></html>"
    )


def _message(message: Message, user: str) -> str:
    at = datetime.fromtimestamp(float(message.ts), UTC)
    blocks = "".join(_block(block, message, user) for block in message.blocks)
    files = "".join(f"<pre>{escape(name)}</pre>" for name in message.files)
    edited = " (edited)" if message.edited_at else ""
    return (
        f'<div class="message{" reply" if message.is_reply else ""}"><div class="face">b</div><div>'
        f'<span class="who">babysit</span><span class="app">APP</span>'
        f'<span class="when">{at:%H:%M}{edited}</span>{blocks or mrkdwn(message.text)}{files}</div></div>'
    )


def _ephemeral(said: Ephemeral) -> str:
    return f'<div class="ephemeral"><div class="context">Only visible to you</div>{mrkdwn(said.text)}</div>'


def _block(block: Mapping[str, Any], message: Message, user: str) -> str:
    match block.get("type"):
        case "header":
            return f'<div class="header">{_text(block["text"])}</div>'
        case "divider":
            return "<hr>"
        case "section":
            text = _text(block["text"]) if "text" in block else ""
            fields = "".join(f"<div>{_text(field)}</div>" for field in block.get("fields", ()))
            return f'<div class="block">{text}<div class="fields">{fields}</div></div>'
        case "context":
            return f'<div class="block context">{" ".join(map(_text, block["elements"]))}</div>'
        case "rich_text":
            return "".join(map(_rich, block["elements"]))
        case "actions":
            buttons = "".join(_button(element, message, user) for element in block["elements"])
            return f'<div class="block actions">{buttons}</div>'
    return ""


def _rich(part: Mapping[str, Any]) -> str:
    inner = "".join(map(_leaf, part["elements"]))
    if part["type"] == "rich_text_preformatted":
        return f"<pre>{inner}</pre>"
    return f'<div class="block">{inner}</div>'


def _leaf(leaf: Mapping[str, Any]) -> str:
    match leaf["type"]:
        case "user":
            return f'<span class="mention">@{escape(leaf["user_id"])}</span>'
        case "usergroup":
            return f'<span class="mention">@{escape(leaf["usergroup_id"])}</span>'
        case "link":
            return f'<a href="{escape(leaf["url"])}">{escape(leaf.get("text") or leaf["url"])}</a>'
        case "text":
            text = escape(leaf["text"]).replace("\n", "<br>")
            return f"<b>{text}</b>" if leaf.get("style", {}).get("bold") else text
    return ""


def _menu(element: Mapping[str, Any], message: Message, user: str) -> str:
    names = (("action_id", element["action_id"]), ("ts", message.ts), ("user", user))
    hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in names)
    options = "".join(
        f'<option value="{escape(option["value"])}">{escape(option["text"]["text"])}</option>'
        for option in element["options"]
    )
    label = escape(element["placeholder"]["text"])
    return (
        f'<form method="post" action="/press">{hidden}<select name="value">{options}</select>'
        f"<button>{label}</button></form>"
    )


def _button(element: Mapping[str, Any], message: Message, user: str) -> str:
    if element["type"] == "static_select":
        return _menu(element, message, user)
    hidden = "".join(
        f'<input type="hidden" name="{name}" value="{escape(str(value))}">'
        for name, value in (
            ("action_id", element["action_id"]),
            ("value", element.get("value", "")),
            ("ts", message.ts),
            ("user", user),
        )
    )
    style, label = escape(element.get("style", "")), escape(element["text"]["text"])
    return f'<form method="post" action="/press">{hidden}<button class="{style}">{label}</button></form>'


def _text(text: Mapping[str, Any]) -> str:
    return mrkdwn(text["text"]) if text["type"] == "mrkdwn" else escape(text["text"])


def mrkdwn(text: str) -> str:
    """The parts of Slack's mark-up that matter here, as HTML. What came escaped stays text."""
    pieces = re.split(r"<([^<>]*)>", text)
    shown = [_span(piece) if number % 2 else _plain(piece) for number, piece in enumerate(pieces)]
    return re.sub(r"\*([^*\n]+)\*", r"<b>\1</b>", "".join(shown)).replace("\n", "<br>")


def _span(inside: str) -> str:
    """What stood between unescaped angle brackets: alive in Slack."""
    target, _, label = inside.partition("|")
    if inside.startswith(("@", "!subteam", "!channel", "!here", "!everyone", "#")):
        return f'<span class="mention">@{_plain(label or target.lstrip("@!#"))}</span>'
    if inside.startswith("!date"):
        return _plain(label)
    return f'<a href="#">{_plain(label or target)}</a>'


def _plain(text: str) -> str:
    return escape(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"), quote=False)
