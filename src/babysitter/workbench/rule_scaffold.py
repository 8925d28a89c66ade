"""From lines that no signature names to a signature to complete."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.signatures.template import MAX_CHARS
from babysitter.diagnosis.stance.template_cues import cue_in
from babysitter.model.finding import Cause
from babysitter.redact import redact

MAX_LINES = 3
MAX_SPECIMEN_CHARS = 300
TO_COMPLETE = (
    "Say in one sentence what happened.",
    "Say what to do next.",
    "Name the public page or source file where these words stand.",
)

_CHANGING = re.compile(r"\S*\d\S*|\S*/\S+|'[^']*'|\"[^\"]*\"")
_NUMBER = re.compile(r"\d[\d.,]*$")
_SPECIAL = re.compile(r"([\\{\[#*|~])")
_CLAUSE_END = re.compile(r"[,;.](?=\s|$)")


def template_of(line: str) -> str:
    """A template for lines like this one: words stay, numbers become #, what else changes becomes *."""
    message = _reporting_part(strip_headers(redact(line)))
    parts, at = [], 0
    for found in _CHANGING.finditer(message):
        parts += [_plain(message[at : found.start()]), "#" if _NUMBER.match(found[0]) else "*"]
        at = found.end()
    parts.append(_plain(message[at:]))
    text = re.sub(r"\*(?: ?\*)+", "...", "".join(parts))
    text = re.sub(r"^[ .*]+|[ .*:]+$", "", text)
    return text if len(text) <= MAX_CHARS else text[:MAX_CHARS].rpartition(" ")[0]


@dataclass(frozen=True, slots=True)
class DraftWords:
    """What a draft says besides its lines; by default what a person has to complete."""

    explain: str = TO_COMPLETE[0]
    source: str = TO_COMPLETE[2]
    strength: str = "sign"
    advice: str = ""  # "" = that of the cause


TO_BE_COMPLETED = DraftWords(advice=TO_COMPLETE[1])


def draft_signature(
    program: str, name: str, decisive: Sequence[str], cause: Cause, words: DraftWords = TO_BE_COMPLETED
) -> str:
    """A signature file with one signature. `decisive`: the lines that show the problem."""
    specimens = [redact(line)[:MAX_SPECIMEN_CHARS] for line in dict.fromkeys(decisive)][:MAX_LINES]
    signature = {
        "means": f"{cause.value} as {words.strength}",
        "explain": words.explain,
        **({"advice": words.advice} if words.advice else {}),
        "lines": list(dict.fromkeys(map(template_of, specimens))),
        "specimens": specimens,
    }
    content = {"program": program, "source": words.source, "says": {name: signature}}
    return yaml.dump(content, sort_keys=False, allow_unicode=True, width=1000)


def name_of(line: str) -> str:
    """A name made of the first words of a template."""
    words = re.findall(r"[a-z]{3,}", template_of(line).lower())
    return "-".join(words[:4]) or "new"


def _reporting_part(message: str) -> str:
    """The message without the clause that announces a retry or tolerates the failure."""
    while (words := cue_in(message)) is not None:
        head = message[: message.index(words)]
        if not head.strip():
            break
        ends = [found.start() for found in _CLAUSE_END.finditer(head)]
        message = head[: ends[-1]] if ends else head
    return message


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", "".join(char if char.isascii() else " " for char in text))
