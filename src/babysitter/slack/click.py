"""One pressed button, as Slack describes it. Parsing only; the payload is untrusted. Pure."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from babysitter.model.message import ButtonKind

MAX_ID_CHARS = 255


@dataclass(frozen=True, slots=True)
class Click:
    """`kind` None = a button that we do not know. `identity` is the same for every delivery of one press."""

    user: str
    user_team: str
    team: str
    channel: str
    message_ts: str
    thread_ts: str
    kind: ButtonKind | None
    target: str
    identity: str

    @property
    def root(self) -> str:
        """The message that heads the thread."""
        return self.thread_ts or self.message_ts

    @property
    def is_an_answer(self) -> bool:
        """Whether it carries a person's word, which must not be lost; a look can be asked for again."""
        return self.kind not in (None, ButtonKind.MORE, ButtonKind.SHOW_COMMAND)


def parse_click(payload: object) -> Click | None:
    """The press in a `block_actions` payload; None for anything else, however broken."""
    if not isinstance(payload, Mapping) or payload.get("type") != "block_actions":
        return None
    actions = payload.get("actions")
    if not isinstance(actions, list) or not actions or not isinstance(actions[0], Mapping):
        return None
    action, user, container = actions[0], _part(payload, "user"), _part(payload, "container")
    who = _text(user, "id")
    target = _text(action, "value") or _text(_part(action, "selected_option"), "value")  # of a menu
    if not who or not target or len(target) > MAX_ID_CHARS:
        return None
    action_id = _text(action, "action_id")
    return Click(
        user=who,
        user_team=_text(user, "team_id"),
        team=_text(_part(payload, "team"), "id"),
        channel=_text(_part(payload, "channel"), "id") or _text(container, "channel_id"),
        message_ts=_text(container, "message_ts"),
        thread_ts=_text(container, "thread_ts"),
        kind=ButtonKind(action_id) if action_id in set(ButtonKind) else None,
        target=target,
        identity=_digest(who, action_id, target, _text(action, "action_ts"), _text(payload, "trigger_id")),
    )


def written(press: Click) -> str:
    """The press as one line of JSON; `read_back` understands it."""
    return json.dumps(asdict(press))


def read_back(text: str) -> Click:
    """A press that was written down."""
    fields = json.loads(text)
    return Click(**{**fields, "kind": ButtonKind(fields["kind"]) if fields["kind"] else None})


def _digest(*parts: str) -> str:
    """Fit for a key, whatever the parts hold."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _part(holder: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = holder.get(name)
    return part if isinstance(part, Mapping) else {}


def _text(holder: Mapping[str, object], name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""
