"""Words -> Slack blocks, within Slack's limits however long the words are. Pure.

Text from a job is shown in `rich_text` elements, where no mark-up exists; sequences that would mean
something elsewhere (`<!channel>`, `<https://...>`) are broken as well, so that no copy, quotation or
notification of the message can revive them. What does not fit is the surplus, for the thread.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from babysitter.messages.formatting import shortened
from babysitter.messages.job_page import for_others
from babysitter.model.finding import Cause
from babysitter.model.message import PEOPLE_SAY, TAKE_BACK, Button, ButtonKind, MessageContent

Block: TypeAlias = dict[str, object]

MAX_BLOCKS_CHARS = 10_000
MAX_HEADER_CHARS = 140
MAX_SENTENCE_CHARS = 1_300
MAX_PAGE_CHARS = 2_000
MAX_FIELD_CHARS = 200
MAX_FIELDS = 8
MAX_EVIDENCE_CHARS = 2_600
MAX_EVIDENCE_LINE_CHARS = 400
MAX_COMMANDS_CHARS = 1_600
MAX_NOTES_CHARS = 700
MAX_DECIDED_CHARS = 700
MAX_FALLBACK_CHARS = 900
MAX_REPLY_CHARS = 2_800

_SIGNS = {"fatal": "🔴", "degraded": "🟠", "info": "🔵", "benign": "🟢"}
_LABELS = {
    ButtonKind.APPROVE: "Approve restart",
    ButtonKind.SHOW_COMMAND: "Show the whole command",
    ButtonKind.DENY: "Deny",
    ButtonKind.SNOOZE_1H: "Snooze 1 h",
    ButtonKind.SNOOZE_4H: "Snooze 4 h",
    ButtonKind.SNOOZE_CHANGE: "Snooze until it changes",
    ButtonKind.MORE: "Show more evidence",
    ButtonKind.ADVISE: "Second opinion",
    ButtonKind.RIGHT: "Cause is right",
    ButtonKind.WRONG: "Cause is wrong",
    ButtonKind.REALLY: "It was really …",
}
_QUESTION_OF_RESTART = ("Restart", "Exactly the command that was shown is run, once.")
_QUESTION_OF_STOP = ("Stop", "Exactly the job that was shown is stopped, and nothing is submitted.")
_ANSWERS = (
    ButtonKind.APPROVE,
    ButtonKind.SHOW_COMMAND,
    ButtonKind.DENY,
    ButtonKind.SNOOZE_1H,
    ButtonKind.SNOOZE_4H,
    ButtonKind.SNOOZE_CHANGE,
)
_ABOUT_THE_CAUSE = (
    ButtonKind.MORE,
    ButtonKind.ADVISE,
    ButtonKind.RIGHT,
    ButtonKind.WRONG,
    ButtonKind.REALLY,
)
# "<" before what Slack's mark-up gives a meaning: mentions, channels, commands, links.
_MEANINGFUL = re.compile(r"<(?=[!@#/]|[a-zA-Z][a-zA-Z0-9+.-]{0,20}:|www\.)")
_IN_BRACKETS = re.compile(r"\(([UW][A-Z0-9]{3,20})\)")
_BY_A_SLACK_USER = re.compile(r"\bby ([UW][A-Z0-9]{3,20})\b")
_IN_THREAD = " (whole command in the thread)"
_CUT = " (cut: show the whole command, then approve)"
_USER_ID = re.compile(r"[UW][A-Z0-9]{4,20}")
_GROUP_ID = re.compile(r"S[A-Z0-9]{4,20}")
_JOINER = "\u2060"  # invisible, and no line break happens at it


@dataclass(frozen=True, slots=True)
class Rendered:
    """A message for Slack. `surplus`: full text of what had to be cut, "" when nothing was."""

    blocks: tuple[Block, ...]
    text: str  # for notifications and screen readers
    surplus: str = ""


def render(
    words: MessageContent, buttons: Sequence[Button] = (), *, mentions: Sequence[str] = ()
) -> Rendered:
    """The message as blocks. `mentions`: Slack ids of who must be called; other names call nobody."""
    evidence, evidence_cut = _fitting(words.evidence, MAX_EVIDENCE_CHARS)
    commands, commands_cut = _fitting(words.commands, MAX_COMMANDS_CHARS, line_most=MAX_COMMANDS_CHARS)
    surplus = []
    if evidence_cut:
        surplus += ["Evidence", *words.evidence]
    asks_to_show = any(button.kind is ButtonKind.SHOW_COMMAND for button in buttons)
    if commands_cut and not asks_to_show:
        surplus += [words.commands_are or "If you approve, babysit will run", *words.commands]
    where_whole = (_CUT if asks_to_show else _IN_THREAD) if commands_cut else ""
    blocks = [
        _header(words),
        _sentence(words, mentions),
        *_fields(words),
        *_code("", words.progress[:20]),
        *_code("Evidence", evidence),
        *_notes(words),
        *_code(_commands_heading(words, where_whole), commands),
        *_decided(words),
        *_actions(buttons, _ANSWERS),
        *_actions(buttons, _ABOUT_THE_CAUSE),
        *_footer(words, asks_for_feedback=any(button.kind is ButtonKind.RIGHT for button in buttons)),
    ]
    return Rendered(tuple(blocks), _fallback(words, mentions), "\n".join(map(inert, surplus)))


def render_plainly(words: MessageContent, buttons: Sequence[Button] = ()) -> Rendered:
    """The least that is still of use, for the day on which Slack refuses the full form.

    It has no commands: what they are must be shown before they can be approved.
    """
    if words.commands_shown_at is None:
        buttons = list(dict.fromkeys(map(_showing, buttons)))
    blocks = (_header(words), _sentence(words, ()), *_actions(buttons, _ANSWERS))
    full = (words.sentence, *words.evidence, *words.commands, words.decided)
    return Rendered(blocks, _fallback(words, ()), "\n".join(inert(word) for word in full if word))


def render_lines(heading: str, lines: Iterable[str]) -> Rendered:
    """Quoted lines alone, as many as fit in one reply."""
    fitting, was_cut = _fitting(tuple(lines), MAX_REPLY_CHARS, line_most=MAX_REPLY_CHARS)
    note = " (the rest is in `babysit report`)" if was_cut else ""
    return Rendered(tuple(_code(heading + note, fitting)), escape(heading))


def replies(surplus: str) -> tuple[str, ...]:
    """The surplus in pieces of one reply each."""
    return tuple(surplus[at : at + MAX_REPLY_CHARS] for at in range(0, len(surplus), MAX_REPLY_CHARS))


def reply(piece: str) -> Rendered:
    return Rendered(tuple(_code("", [piece])), "More of the message above.")


def escape(text: str, most: int = 3_000) -> str:
    """Text for a `mrkdwn` field: shown as written, at most so long, never cut inside an entity."""
    shown = inert(text)
    if len(shown) <= most // 5:
        return _escaped(shown)
    room, used = most - 1, 0
    kept: list[str] = []
    for letter in shown:
        written = _escaped(letter)
        if used + len(written) > room:
            return "".join(kept) + "…"
        used += len(written)
        kept.append(written)
    return "".join(kept)


def escape_sentence(text: str, most: int = 2_000) -> str:
    """A sentence of ours that may name who decided ("by U0ADA ..."): that name alone becomes a mention."""
    return _BY_A_SLACK_USER.sub(r"by <@\1>", escape(text, most))


def inert(text: str) -> str:
    """The same text, looking the same, in which no mention, link or command is left."""
    return _MEANINGFUL.sub("<" + _JOINER, text)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _header(words: MessageContent) -> Block:
    sign = _SIGNS.get(words.severity, "")
    title = shortened(inert(f"{sign} {words.title}".strip()) or "babysit", MAX_HEADER_CHARS)
    return {"type": "header", "text": {"type": "plain_text", "text": title, "emoji": True}}


def _sentence(words: MessageContent, mentions: Sequence[str]) -> Block:
    """What happened, in a block without mark-up; the mentions beside it are the only live part."""
    sentence = shortened(inert(words.sentence), MAX_SENTENCE_CHARS) or "No more is known."
    elements: list[Block] = [*_mention_elements(mentions), {"type": "text", "text": sentence}]
    if words.cause:
        sure = f", {words.confidence:.0%} sure" if words.confidence is not None else ""
        elements.append({"type": "text", "text": f"\n{inert(words.cause)}{sure}", "style": {"bold": True}})
    page = for_others(words).page
    if page and len(page) <= MAX_PAGE_CHARS:
        elements += [{"type": "text", "text": "\n"}, {"type": "link", "url": page, "text": "Job page"}]
    return _rich({"type": "rich_text_section", "elements": elements})


def _mention_elements(mentions: Sequence[str]) -> list[Block]:
    """`U...`/`W...` a person, `S...` a user group; anything else is not mentioned."""
    elements: list[Block] = []
    for name in dict.fromkeys(mentions):
        if _USER_ID.fullmatch(name):
            elements += [{"type": "user", "user_id": name}, {"type": "text", "text": " "}]
        elif _GROUP_ID.fullmatch(name):
            elements += [{"type": "usergroup", "usergroup_id": name}, {"type": "text", "text": " "}]
    return elements


def _fields(words: MessageContent) -> list[Block]:
    shown = [
        {
            "type": "mrkdwn",
            "text": f"*{escape(name, 60)}*\n{escape(value or '-', MAX_FIELD_CHARS)}",
            "verbatim": True,
        }
        for name, value in words.fields[:MAX_FIELDS]
    ]
    return [{"type": "section", "fields": shown}] if shown else []


def _code(heading: str, lines: Sequence[str]) -> list[Block]:
    """Lines as they are, under a heading. Nothing in them is interpreted, fences included."""
    text = "\n".join(inert(line) for line in lines).strip("\n")
    if not text:
        return []
    parts: list[Block] = [
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": text[:MAX_REPLY_CHARS]}]}
    ]
    if heading:
        title: Block = {"type": "text", "text": heading, "style": {"bold": True}}
        parts.insert(0, {"type": "rich_text_section", "elements": [title]})
    return [_rich(*parts)]


def is_cut(words: MessageContent) -> bool:
    """Whether something that a person must see before approving does not fit."""
    _, was_cut = _fitting(words.commands, MAX_COMMANDS_CHARS, line_most=MAX_COMMANDS_CHARS)
    bounded = [(words.change, MAX_NOTES_CHARS // 2), *((text, MAX_NOTES_CHARS) for _, text in words.notes)]
    return was_cut or any(escape(text, most) != _escaped(inert(text)) for text, most in bounded)


def _showing(button: Button) -> Button:
    return Button(ButtonKind.SHOW_COMMAND, button.target) if button.kind is ButtonKind.APPROVE else button


def _commands_heading(words: MessageContent, where: str) -> str:
    return (words.commands_are or "If you approve, babysit will run exactly this") + where


def _notes(words: MessageContent) -> list[Block]:
    """Recovery, price, change, budget and differences: what a person weighs before answering."""
    notes = [
        f"*{name}* {escape(text, MAX_NOTES_CHARS // 2)}"
        for name, text in (
            ("Own recovery:", words.recovery),
            ("Waiting costs:", words.price),
            ("Change:", words.change),
            ("Budget:", words.budget),
        )
        if text
    ]
    notes += [f"*{escape(name, 60)}:* {_note_text(name, text)}" for name, text in words.notes]
    if not notes:
        return []
    return [{"type": "section", "text": {"type": "mrkdwn", "text": "\n".join(notes), "verbatim": True}}]


def _decided(words: MessageContent) -> list[Block]:
    if not words.decided:
        return []
    text = escape_sentence(words.decided, MAX_DECIDED_CHARS)
    return [
        {"type": "divider"},
        {"type": "section", "text": {"type": "mrkdwn", "text": f"*{text}*", "verbatim": True}},
    ]


def _note_text(name: str, text: str) -> str:
    """A note; in what people say, which is our own sentence, who said it becomes a mention."""
    shown = escape(text, MAX_NOTES_CHARS)
    return _IN_BRACKETS.sub(r"(<@\1>)", shown) if name == PEOPLE_SAY else shown


def _actions(buttons: Sequence[Button], kinds: Sequence[ButtonKind]) -> list[Block]:
    elements = [_button(button) for button in buttons if button.kind in kinds]
    return [{"type": "actions", "elements": elements}] if elements else []


def _menu_of_causes(button: Button) -> Block:
    options = [
        {"text": {"type": "plain_text", "text": cause.value}, "value": f"{button.target}|{cause.value}"}
        for cause in Cause
    ]
    options.append(
        {
            "text": {"type": "plain_text", "text": "Take back my answer"},
            "value": f"{button.target}|{TAKE_BACK}",
        }
    )
    placeholder = {"type": "plain_text", "text": _LABELS[button.kind], "emoji": True}
    return {
        "type": "static_select",
        "placeholder": placeholder,
        "action_id": button.kind.value,
        "options": options,
    }


def _label_of(button: Button) -> str:
    is_stop = button.kind is ButtonKind.APPROVE and button.stops_only
    return "Approve stop" if is_stop else _LABELS[button.kind]


def _button(button: Button) -> Block:
    if button.kind is ButtonKind.REALLY:
        return _menu_of_causes(button)
    element: Block = {
        "type": "button",
        "text": {"type": "plain_text", "text": _label_of(button), "emoji": True},
        "action_id": button.kind.value,
        "value": button.target,
    }
    if button.kind is ButtonKind.APPROVE:
        element["style"] = "primary"
        word, what = _QUESTION_OF_STOP if button.stops_only else _QUESTION_OF_RESTART
        element["confirm"] = {
            "title": {"type": "plain_text", "text": f"{word} the job?"},
            "text": {"type": "plain_text", "text": what},
            "confirm": {"type": "plain_text", "text": word},
            "deny": {"type": "plain_text", "text": "Not now"},
        }
    return element


def _footer(words: MessageContent, *, asks_for_feedback: bool) -> list[Block]:
    parts = [escape(words.footer, 300)] if words.footer else []
    if words.expires_at is not None:
        at, utc = int(words.expires_at.timestamp()), f"{words.expires_at:%d %b %H:%M} UTC"
        parts.append(f"Proposal expires <!date^{at}^{{date_short_pretty}} at {{time}}|{utc}>")
    if asks_for_feedback:
        parts.append("Your feedback on the cause improves its rule.")
    if not parts:
        return []
    return [
        {"type": "context", "elements": [{"type": "mrkdwn", "text": " · ".join(parts), "verbatim": True}]}
    ]


def _fallback(words: MessageContent, mentions: Sequence[str]) -> str:
    """What a lock screen shows; the call itself is made here too, because clients notify from it."""
    calls = ""
    for name in dict.fromkeys(mentions):
        if _USER_ID.fullmatch(name):
            calls += f"<@{name}> "
        elif _GROUP_ID.fullmatch(name):
            calls += f"<!subteam^{name}> "
    return calls + escape(f"{words.title}. {words.sentence}", MAX_FALLBACK_CHARS)


def _fitting(
    lines: Sequence[str], most: int, *, line_most: int = MAX_EVIDENCE_LINE_CHARS
) -> tuple[list[str], bool]:
    """As many lines as fit, each bounded, and whether anything was cut."""
    kept: list[str] = []
    used, was_cut = 0, False
    for line in map(inert, lines):
        room = min(line_most, most - used - 1)
        if room < 40 and len(line) > room:
            was_cut = True
            break
        short = shortened(line, room)
        was_cut = was_cut or short != line
        kept.append(short)
        used += len(short) + 1
    return kept, was_cut


def _rich(*parts: Block) -> Block:
    return {"type": "rich_text", "elements": list(parts)}
