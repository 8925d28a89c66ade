"""Folders of other machines as people name them, and the command that runs a script there.

The command is a template that a person gave, such as `ssh -o BatchMode=yes {host}`.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from babysitter.errors import BadConfig, UserError

HOST, COMMAND = "{host}", "{command}"
_HOST = re.compile(r"(?:[A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*")
_TYPED = re.compile(rf"(?P<host>{_HOST.pattern}):(?P<path>/[^\x00-\x1f]*)")


@dataclass(frozen=True, slots=True)
class RemoteFolder:
    """A folder of another machine. As text `//HOST/PATH`, which no list of paths takes apart."""

    host: str
    path: str

    def __str__(self) -> str:
        return f"//{self.host}{self.path}"

    @property
    def shown(self) -> str:
        return f"{self.host}:{self.path}"


def remote_folder(text: str) -> RemoteFolder | None:
    """HOST:/PATH or //HOST/PATH; None for a folder of this machine."""
    if text.startswith("//"):
        host, _, path = text[2:].partition("/")
        found = _TYPED.fullmatch(f"{host}:/{path}")
    else:
        found = None if Path(text).exists() else _TYPED.fullmatch(text)
    return RemoteFolder(found["host"], found["path"]) if found else None


def refuse_odd_host(text: str) -> None:
    """Raises UserError for HOST:/PATH whose host could be an option or more than one word."""
    host = text.partition(":/")[0]
    if ":/" in text and "/" not in host and not Path(text).exists() and remote_folder(text) is None:
        raise UserError(
            f"{host!r} is not the name of a host.",
            next_step="Write HOST:/PATH or USER@HOST:/PATH with a name or an IPv4 address; "
            "for any other address, give it a name in the settings of ssh.",
        )


def parse_template(text: str) -> tuple[str, ...]:
    """The words of --ssh. Raises UserError for one that does not say where the host stands."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as fault:
        raise UserError(
            f"--ssh cannot be read: {fault}.", next_step="Quote it as one shell command."
        ) from fault
    if not words or not any(HOST in word for word in words):
        raise UserError(
            "--ssh does not say where the host stands.",
            next_step="Write for example 'ssh -o BatchMode=yes {host}'.",
        )
    return words


def remote_command(template: Sequence[str], host: str, script: str) -> tuple[str, ...]:
    """The command that runs a script on the host: as the word {command}, else as the last word.

    The host is a plain name, so that it can be neither an option nor a second word.
    """
    if not _HOST.fullmatch(host):
        raise BadConfig(f"'{host}' is not the name of a host.")
    words = tuple(script if word == COMMAND else word.replace(HOST, host) for word in template)
    return words if COMMAND in template else (*words, script)
