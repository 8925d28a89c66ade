"""The same log as 25 other programs show it: launchers and collectors, JSON, quoting, wrapping."""

import json
from collections.abc import Callable, Mapping

STAMP = "2026-11-20T19:00:00.123456789Z"
MAX_WIDTH = 100
JUNK = "\x00\x01\ufffd\ufffd~~%%"

Dress = Callable[[list[str]], list[str]]


def _prefix(text: str) -> Dress:
    return lambda lines: [text + line for line in lines]


def _numbered(form: str) -> Dress:
    return lambda lines: [form.format(number=number, line=line) for number, line in enumerate(lines, 1)]


def _json(key: str, **fields: str) -> Dress:
    return lambda lines: [json.dumps({key: line, **fields}) for line in lines]


def _wrapped(lines: list[str]) -> list[str]:
    return [line[at : at + MAX_WIDTH] for line in lines for at in range(0, max(1, len(line)), MAX_WIDTH)]


def _with_junk(lines: list[str]) -> list[str]:
    return [text for line in lines for text in (JUNK, line)]


DRESSES: Mapping[str, Dress] = {
    "colours": lambda lines: [f"\x1b[31;1m{line}\x1b[0m" for line in lines],
    "kubectl --prefix": _prefix("[pod/train-0/main] "),
    "kubectl --timestamps": _prefix(f"{STAMP} "),
    "kubectl both": _prefix(f"[pod/train-0/main] {STAMP} "),
    "container runtime": _prefix(f"{STAMP} stderr F "),
    "journald": _prefix("Nov 20 19:00:00 host-3 python3[812]: "),
    "journald iso": _prefix("2026-11-20T19:00:00+0000 host-3 python3[812]: "),
    "docker compose": _prefix("train-1  | "),
    "torch elastic": _prefix("[rank3]: "),
    "torch elastic default": _prefix("[default3]:"),
    "mpirun": _prefix("[1,3]<stderr>: "),
    "srun": _prefix("3: "),
    "ray actor": _prefix("(Trainer pid=5144, ip=192.0.2.2) "),
    "iris task": _prefix("task=/ada/train/0 | "),
    "pod launcher": _prefix("worker-3: "),
    "docker json": _json("log", stream="stderr", time=STAMP),
    "cloud logging": _json("textPayload", timestamp=STAMP),
    "json message": _json("message", timestamp=STAMP, stream="stderr"),
    "windows line ends": lambda lines: [f"{line}\r" for line in lines],
    "trailing blanks": lambda lines: [f"{line}   " for line in lines],
    "mail": _prefix("> "),
    "wrapped": _wrapped,
    "line numbers": _numbered("{number:6d}\t{line}"),
    "grep -n": _numbered("run.log:{number}:{line}"),
    "junk between": _with_junk,
}
