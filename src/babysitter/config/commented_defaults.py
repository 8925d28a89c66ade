"""The settings file that `babysit init` writes: everything said, nothing set."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from babysitter.config.places import ENVIRONMENT_PREFIX
from babysitter.config.settings import Settings, settings_in

_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "clusters": ("  marin:", "    url: http://127.0.0.1:10000", "    iris_command: uv run iris"),
    "approvers": ("  - [U0EXAMPLE1, U0EXAMPLE2]", "  - [S0ONCALL]"),
    "quiet_hours": ("  begins: '22:00'", "  ends: '07:00'", "  timezone: Europe/Berlin"),
    "silences": ("  - jobs: /ada/scratch-*", "    causes: [preemption]", "    why: cheap machines"),
}


def render_commented_defaults() -> str:
    """A settings file in which every line is a comment that shows a default, or an example."""
    head = [
        "# Settings of babysit. Every line shows a default; take the # away to change it.",
        f"# Environment variables ({ENVIRONMENT_PREFIX}SLACK_CHANNEL) win over this file, flags over those.",
    ]
    return "\n".join([*head, *_rendered(Settings)]) + "\n"


def _rendered(section: type) -> Iterator[str]:
    for setting in settings_in(section):
        yield ""
        yield f"# {setting.about}"
        if setting.name in _EXAMPLES:
            yield f"# {setting.name}:   # for example"
            yield from (f"# {line}" for line in _EXAMPLES[setting.name])
        elif setting.section is not None:
            yield f"# {setting.name}:"
            for inner in settings_in(setting.section):
                line = f"#   {inner.name}: {_as_yaml(inner.default)}".rstrip()
                yield f"{line}   # {inner.about}" if inner.about else line
        else:
            yield f"# {setting.name}: {_as_yaml(setting.default)}".rstrip()


def _as_yaml(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (tuple, frozenset)):
        return json.dumps(list(value))
    return str(value) if isinstance(value, (int, float)) else str(value) or "''"
