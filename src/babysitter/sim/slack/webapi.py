"""The Web API methods: parameters in, Slack's answer out. Knows nothing of HTTP."""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from babysitter.sim.slack import validate
from babysitter.sim.slack.workspace import (
    Channel,
    Edit,
    Ephemeral,
    File,
    Grant,
    Message,
    SlackFault,
    Workspace,
)

Params = Mapping[str, Any]
Answer = dict[str, Any]


class WebApi:
    """One workspace's methods. `said` is told every message that was posted or changed."""

    def __init__(self, workspace: Workspace, said: Callable[[str, Message], None]) -> None:
        self.workspace = workspace
        self._said = said
        self.upload_base = ""
        self.link_base = ""
        self.tickets: set[str] = set()
        self.methods: dict[str, tuple[str, str, Callable[[Params], Answer]]] = {
            "auth.test": ("bot", "", self._auth_test),
            "apps.connections.open": ("app", "connections:write", self._connections_open),
            "chat.postMessage": ("bot", "chat:write", self._post),
            "chat.update": ("bot", "chat:write", self._update),
            "chat.delete": ("bot", "chat:write", self._delete),
            "chat.postEphemeral": ("bot", "chat:write", self._ephemeral),
            "conversations.replies": ("bot", "history", self._replies),
            "conversations.history": ("bot", "history", self._history),
            "conversations.info": ("bot", "read", self._info),
            "files.getUploadURLExternal": ("bot", "files:write", self._upload_url),
            "files.completeUploadExternal": ("bot", "files:write", self._upload_done),
            "users.info": ("bot", "users:read", self._user),
            "usergroups.users.list": ("bot", "usergroups:read", self._group),
        }

    def call(self, method: str, token: str, params: Params) -> Answer:
        """Slack's answer; raises SlackFault for everything that is not ok."""
        if method not in self.methods:
            raise SlackFault("unknown_method", req_method=method)
        if not token:
            raise SlackFault("not_authed")
        grant = self.workspace.tokens.get(token)
        if grant is None:
            raise SlackFault("invalid_auth")
        kind, scope, run = self.methods[method]
        if grant.kind != kind:
            raise SlackFault("not_allowed_token_type")
        self._demand(grant, scope, params)
        return {"ok": True, **run(params)}

    def _demand(self, grant: Grant, scope: str, params: Params) -> None:
        if scope in ("history", "read"):
            channel = self.workspace.channels.get(str(params.get("channel")))
            scope = f"{'groups' if channel and channel.is_private else 'channels'}:{scope}"
        if scope and scope not in grant.scopes:
            raise SlackFault("missing_scope", needed=scope, provided=",".join(sorted(grant.scopes)))

    def _auth_test(self, _params: Params) -> Answer:
        space = self.workspace
        return {
            "url": "https://simulated.slack.com/",
            "team": "Simulated",
            "user": space.bot.name,
            "team_id": space.team,
            "user_id": space.bot.id,
            "bot_id": space.bot_id,
            "is_enterprise_install": False,
        }

    def _connections_open(self, _params: Params) -> Answer:
        ticket = self.workspace.next_id("t")
        self.tickets.add(ticket)
        return {"url": f"{self.link_base}?ticket={ticket}&app_id={self.workspace.app_id}"}

    def _post(self, params: Params) -> Answer:
        channel = self._open_channel(params)
        blocks = _blocks(params)
        text = str(params.get("text") or "")
        if not text and not blocks:
            raise SlackFault("no_text")
        metadata = _metadata(params)
        parent = params.get("thread_ts")
        message = Message(
            self.workspace.next_ts(),
            channel.id,
            self.workspace.bot.id,
            text[: validate.MAX_TEXT_CHARS],
            blocks or [],
            thread_ts=self._root_of(channel, str(parent)) if parent else None,
            metadata=metadata or {},
        )
        channel.messages[message.ts] = message
        self._said("", message)
        return {"channel": channel.id, "ts": message.ts, "message": self.workspace.as_wire(message)}

    def _update(self, params: Params) -> Answer:
        channel = self._open_channel(params)
        message = channel.messages.get(str(params.get("ts")))
        if message is None:
            raise SlackFault("message_not_found")
        if message.user != self.workspace.bot.id:
            raise SlackFault("cant_update_message")
        blocks, metadata = _blocks(params), _metadata(params)
        text = params.get("text")
        if text is None and blocks is None:
            raise SlackFault("no_text")
        if text is not None and len(text) > validate.MAX_EDIT_TEXT_CHARS:
            raise SlackFault("msg_too_long")
        # What an edit leaves out stays as it was; an empty list or object removes it.
        message.text = message.text if text is None else str(text)
        message.blocks = message.blocks if blocks is None else blocks
        message.metadata = message.metadata if metadata is None else metadata
        message.edited_at = self.workspace.now()
        self.workspace.edits.append(Edit(message.ts, channel.id, message.text, message.blocks))
        self._said("message_changed", message)
        return {
            "channel": channel.id,
            "ts": message.ts,
            "text": message.text,
            "message": self.workspace.as_wire(message),
        }

    def _delete(self, params: Params) -> Answer:
        channel = self._open_channel(params)
        message = channel.messages.get(str(params.get("ts")))
        if message is None:
            raise SlackFault("message_not_found")
        if message.user != self.workspace.bot.id:
            raise SlackFault("cant_delete_message")
        del channel.messages[message.ts]
        self._said("message_deleted", message)
        return {"channel": channel.id, "ts": message.ts}

    def _ephemeral(self, params: Params) -> Answer:
        channel = self._open_channel(params)
        user = str(params.get("user") or "")
        if user not in self.workspace.users:
            raise SlackFault("user_not_in_channel")
        blocks, text = _blocks(params), str(params.get("text") or "")
        if not text and not blocks:
            raise SlackFault("no_text")
        self.workspace.ephemerals.append(
            Ephemeral(channel.id, user, text, params.get("thread_ts"), blocks or [])
        )
        return {"message_ts": self.workspace.next_ts()}

    def _replies(self, params: Params) -> Answer:
        channel = self.workspace.channel(str(params.get("channel")))
        return self._page(self.workspace.replies(channel, str(params.get("ts"))), params, most=1000)

    def _history(self, params: Params) -> Answer:
        channel = self.workspace.channel(str(params.get("channel")))
        newest_first = [message for message in reversed(channel.messages.values()) if not message.is_reply]
        return self._page(newest_first, params, most=999, default=100)

    def _page(self, messages: list[Message], params: Params, *, most: int, default: int = 1000) -> Answer:
        oldest, latest = float(params.get("oldest") or 0), float(params.get("latest") or "inf")
        inclusive = _truth(params.get("inclusive"))
        wanted = [
            message
            for message in messages
            if oldest < float(message.ts) < latest or (inclusive and float(message.ts) in (oldest, latest))
        ]
        start = _from_cursor(params.get("cursor"))
        limit = max(1, min(int(params.get("limit") or default), most))
        page, rest = wanted[start : start + limit], wanted[start + limit :]
        with_metadata = _truth(params.get("include_all_metadata"))
        return {
            "messages": [self.workspace.as_wire(message, with_metadata=with_metadata) for message in page],
            "has_more": bool(rest),
            "response_metadata": {"next_cursor": _cursor(start + limit) if rest else ""},
        }

    def _info(self, params: Params) -> Answer:
        channel = self.workspace.channel(str(params.get("channel")), member=False)
        return {
            "channel": {
                "id": channel.id,
                "name": channel.name,
                "is_channel": not channel.is_private,
                "is_private": channel.is_private,
                "is_member": channel.has_bot,
                "is_archived": channel.is_archived,
            }
        }

    def _upload_url(self, params: Params) -> Answer:
        if not params.get("filename") or int(params.get("length") or 0) <= 0:
            raise SlackFault("invalid_arguments")
        file = File(self.workspace.next_id("F"), str(params["filename"]), int(params["length"]))
        self.workspace.files[file.id] = file
        return {"file_id": file.id, "upload_url": f"{self.upload_base}{file.id}"}

    def _upload_done(self, params: Params) -> Answer:
        wanted = params.get("files") or "[]"
        wanted = json.loads(wanted) if isinstance(wanted, str) else wanted
        files = [self.workspace.files.get(upload["id"]) for upload in wanted]
        if not files or None in files:
            raise SlackFault("file_not_found")
        channel_id, parent = params.get("channel_id"), params.get("thread_ts")
        channel = self.workspace.channel(str(channel_id)) if channel_id else None
        for file, upload in zip(files, wanted, strict=True):
            assert file is not None
            if len(file.content) != file.length:
                raise SlackFault("file_update_failed")
            file.title, file.shared = upload.get("title", ""), True
            if channel:
                file.channel = channel.id
                file.thread_ts = self._root_of(channel, str(parent)) if parent else None
        if channel:
            message = Message(
                self.workspace.next_ts(),
                channel.id,
                self.workspace.bot.id,
                str(params.get("initial_comment") or ""),
                thread_ts=self._root_of(channel, str(parent)) if parent else None,
                files=[upload["id"] for upload in wanted],
            )
            channel.messages[message.ts] = message
            self._said("file_share", message)
        return {"files": [{"id": upload["id"], "title": upload.get("title", "")} for upload in wanted]}

    def _user(self, params: Params) -> Answer:
        user = self.workspace.users.get(str(params.get("user")))
        if user is None:
            raise SlackFault("user_not_found")
        return {"user": user.as_wire()}

    def _group(self, params: Params) -> Answer:
        members = self.workspace.groups.get(str(params.get("usergroup")))
        if members is None:
            raise SlackFault("no_such_subteam")
        return {"users": list(members)}

    def _open_channel(self, params: Params) -> Channel:
        channel = self.workspace.channel(str(params.get("channel")))
        if channel.is_archived:
            raise SlackFault("is_archived")
        return channel

    @staticmethod
    def _root_of(channel: Channel, ts: str) -> str:
        """The thread a reply joins: a reply to a reply belongs to the parent's thread."""
        parent = channel.messages.get(ts)
        if parent is None:
            raise SlackFault("thread_not_found")
        root = parent.thread_ts or parent.ts
        channel.messages[root].thread_ts = root
        return root


def _blocks(params: Params) -> list[dict[str, Any]] | None:
    raw = params.get("blocks")
    if raw is None:
        return None
    blocks = json.loads(raw) if isinstance(raw, str) else raw
    fault = validate.fault_of_blocks(blocks)
    if fault is not None:
        code, explanations = fault
        raise SlackFault(
            code,
            errors=explanations,
            response_metadata={"messages": [f"[ERROR] {explanation}" for explanation in explanations]},
        )
    assert isinstance(blocks, list)
    return blocks


def _metadata(params: Params) -> dict[str, Any] | None:
    raw = params.get("metadata")
    if raw is None:
        return None
    metadata = json.loads(raw) if isinstance(raw, str) else raw
    fault = validate.fault_of_metadata(metadata)
    if fault is not None:
        raise SlackFault(fault)
    assert isinstance(metadata, dict)
    return metadata


def _truth(value: object) -> bool:
    return str(value).lower() in ("1", "true")


def _cursor(start: int) -> str:
    return base64.b64encode(f"next:{start}".encode()).decode()


def _from_cursor(cursor: object) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(str(cursor)).decode().removeprefix("next:"))
    except ValueError:
        raise SlackFault("invalid_cursor") from None
