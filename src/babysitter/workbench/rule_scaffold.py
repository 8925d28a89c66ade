"""From lines that no rule understood to a rule to be completed, and a scenario that must pass then."""

import re
from collections.abc import Sequence

import yaml

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.model.finding import Cause
from babysitter.redact import redact

MAX_PATTERNS = 3
MAX_LINES = 40  # of the log, in the example

_CHANGING = re.compile(r"\S*\d\S*|\S*/\S+|'[^']*'|\"[^\"]*\"")
_META = re.compile(r"([\\.+*?()|\[\]{}^$/])")


def pattern_of(line: str) -> str:
    """A pattern for lines like this one: the words stay, what changes from run to run is free."""
    message = strip_headers(redact(line))[:200]
    parts, at = [], 0
    for found in _CHANGING.finditer(message):
        parts += [_META.sub(r"\\\1", message[at : found.start()]), r"\S+"]
        at = found.end()
    parts.append(_META.sub(r"\\\1", message[at:]))
    text = re.sub(r"(?:\\S\+ ?){2,}", r".{1,200}", "".join(parts)).strip()
    return f"/{text}/"


def rule_stub(playbook: str, name: str, decisive: Sequence[str], log: Sequence[str], cause: Cause) -> str:
    """A playbook file with one rule. `decisive`: lines that show the trouble; `log`: those around them."""
    example = [redact(line) for line in log[-MAX_LINES:]]
    rule = {
        "id": f"{playbook}.{name}",
        "cause": cause.value,
        "severity": "fatal",
        "match": {"logs": {"any": list(dict.fromkeys(map(pattern_of, decisive)))[:MAX_PATTERNS]}},
        "explain": "Say what happened, for a person.",
        "advice": "Say what to do next.",
        "action": "escalate",
        "retry": "useless",
        "confidence": 0.7,
        "safety": "Say why a healthy job never prints this.",
        "examples": {
            "match": ["\n".join(example)],
            "no_match": ["Replace this by a line that looks similar and is harmless."],
        },
    }
    return _yaml({"playbook": playbook, "rules": [rule]})


def scenario_stub(playbook: str, name: str, log: Sequence[str], state: str, cause: Cause) -> str:
    """A scenario file: these lines, and what they should mean."""
    step = {
        "logs": "\n".join(redact(line) for line in log[-MAX_LINES:]),
        "state": state,
        "expect": {"rules": [f"{playbook}.{name}"], "cause": cause.value},
    }
    return _yaml({"scenarios": [{"name": name.replace("-", " "), "steps": [step]}]})


class _Blocks(yaml.SafeDumper):
    """Writes texts of several lines as blocks, as a person would."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Blocks.add_representer(str, _text)


def _yaml(value: object) -> str:
    return yaml.dump(value, Dumper=_Blocks, sort_keys=False, allow_unicode=True, width=110)
