"""Why another machine could not be read, from what its command printed, and what to do about it."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

# What ssh prints, in lower case, and the next step; the first that fits counts. {by_hand}: a command
# that may ask.
_ADVICE = (
    (
        "remote host identification has changed",
        "Find out why its key changed. If the machine is the right one, remove the old key with "
        "`ssh-keygen -R` and accept the new one by hand: `{by_hand}`.",
    ),
    (
        "host key verification failed",
        "Connect once by hand, compare the fingerprint and accept it: `{by_hand}`.",
    ),
    (
        "permission denied (",
        "Name a key that the machine accepts in --ssh (`-i KEY`) or load it with `ssh-add`, "
        "then try `{by_hand}`.",
    ),
    ("could not resolve hostname", "Correct the host in --ray-session, then try `{by_hand}`."),
    (
        "could not request local forwarding",
        "A port that the ssh settings forward is taken: add `-o ClearAllForwardings=yes` to --ssh.",
    ),
)
_USAGE = re.compile(r"usage:", re.IGNORECASE)
_QUIET = re.compile(r"batchmode[ =]yes", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RemoteFault:
    """Half a sentence, and what a person does next."""

    why: str
    next_step: str


def remote_fault(printed: str, exit_code: int, tried: Sequence[str]) -> RemoteFault:
    """`printed`: on stderr. `tried`: the words of a command that does nothing on that machine."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    usage = next((place for place, line in enumerate(lines) if _USAGE.match(line)), None)
    said = lines[:usage] or lines[:1]
    why = said[-1].rstrip(".") if said else f"exit code {exit_code}"
    words = " ".join(lines).lower()
    advice = next((step for sign, step in _ADVICE if sign in words), "Try `{by_hand}` in a shell.")
    return RemoteFault(why, advice.replace("{by_hand}", shlex.join(may_ask(tried))))


def may_ask(command: Sequence[str]) -> tuple[str, ...]:
    """The command without the option of ssh that keeps it from asking a person."""
    kept: list[str] = []
    for word in command:
        if _QUIET.fullmatch(word.removeprefix("-o")):
            if word == word.removeprefix("-o") and kept and kept[-1] == "-o":
                kept.pop()
            continue
        kept.append(word)
    return tuple(kept)
