"""Words that say whether a line reports a problem: stance weighs them, so no signature may name them."""

import re

# "Max retries exceeded" and "retry exceeded" are reports; what announces or tolerates is not.
_STANCE_WORDS = re.compile(
    r"\b(?:retrying|will retry|try(?:ing)? again|re-?attempt\w*|ignor(?:ed|es|ing)|skipp(?:ed|ing)"
    r"|fall(?:ing|s)?[ -]?back|as expected|expected to|expecting|tolerat\w+|quoted|quoting|swallow\w+)\b",
    re.IGNORECASE,
)


def stance_word(text: str) -> str | None:
    """The word in a template that belongs to stance; None when there is none."""
    found = _STANCE_WORDS.search(text)
    return found[0] if found else None
