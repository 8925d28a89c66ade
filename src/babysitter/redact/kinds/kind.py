"""One kind of secret that can be recognised by its own look, and how a row of the table becomes a pattern."""

import random
import re
import string
from dataclasses import dataclass

from babysitter.lazy_regex import lazy_regex

_LETTERS = string.ascii_letters + string.digits
# The alphabets of vendors, by the short names that rows and specimens use.
ALPHABETS = {
    "an": _LETTERS,
    "low": string.ascii_lowercase + string.digits,
    "up": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "dig": string.digits,
    "url": _LETTERS + "_-",
    "b64": _LETTERS + "+/",
    "b32": string.ascii_uppercase + "234567",
    "dot": _LETTERS + "_.-",
}
_CLASSES = {
    "an": "A-Za-z0-9",
    "low": "a-z0-9",
    "up": "A-Z0-9",
    "hex": "0-9a-fA-F",
    "dig": "0-9",
    "url": r"A-Za-z0-9_\-",
    "b64": "A-Za-z0-9+/",
    "b32": "A-Z2-7",
    "dot": r"A-Za-z0-9_.\-",
}
_HOLE = lazy_regex(r"\{(\w+):(\d+)\}")
# `_`, `-` and `.` also as an address writes them.
_WRITTEN = {"_": "(?:_|%5[fF])", "-": "(?:-|%2[dD])", ".": r"(?:\.|%2[eE])", "/": "(?:/|%2[fF])"}


@dataclass(frozen=True, slots=True)
class SecretKind:
    """A vendor's token: fixed first characters, then `least` or more of an alphabet; or a pattern of its own.

    `least` is smaller than what is documented: a line may be cut. `is_short`: the first characters occur in
    ordinary words too, so the rest must look random. `near`: only in lines that hold this word (lower case).
    `source`: where the shape is documented. `specimens`: made-up examples, `{alphabet:length}` filled by
    `specimen()`, so that no file holds anything that looks like a real one.
    """

    id: str
    prefixes: str  # separated by spaces
    alphabet: str
    least: int
    source: str
    specimens: tuple[str, ...]
    pattern: str = ""
    is_short: bool = False
    near: str = ""

    @property
    def expression(self) -> str:
        """RE2 and Python agree on it."""
        if self.pattern:
            return self.pattern
        letter = rf"(?:[{_CLASSES[self.alphabet]}]|%[0-9A-F][0-9A-F])"
        return rf"(?:{self.first_letters}){letter}{{{self.least},}}={{0,2}}"

    @property
    def first_letters(self) -> str:
        """The prefixes of the expression alone."""
        return "|".join(_written(prefix) for prefix in self.prefixes.split())


def _written(prefix: str) -> str:
    return "".join(_WRITTEN.get(letter, re.escape(letter)) for letter in prefix)


def specimen(template: str, seed: int = 0) -> str:
    """Fill the holes of a template: `hf_{an:34}` becomes `hf_` and 34 letters or digits, by the seed."""
    dice = random.Random(f"{template}{seed}")

    def fill(hole: re.Match[str]) -> str:
        alphabet, length = ALPHABETS[hole[1]], int(hole[2])
        return "".join(dice.choice(alphabet) for _ in range(length))

    return _HOLE.sub(fill, template)
