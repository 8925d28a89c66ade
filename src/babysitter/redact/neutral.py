"""Text without what would deceive the eye: colours, control characters, invisible and reordering ones."""

from babysitter.lazy_regex import lazy_regex

_ANSI = lazy_regex(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])?"
    r"|\\(?:u001b|x1b|033|e)\[[0-9;]*[A-Za-z]"  # the same, written out by a JSON or repr
)
# Controls but tab and newline, invisible characters, and those that turn the direction of text.
_UNSEEN = lazy_regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# Between the settings of `/proc/<pid>/environ`.
_END_OF_SETTING = lazy_regex("\x00(?=[A-Za-z_][A-Za-z0-9_]{0,60}=)")


def strip_control_characters(text: str) -> str:
    """Return the text without colours, control characters, and characters that hide or reorder others."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    if "\x00" in text:
        text = _END_OF_SETTING.sub(" ", text)
    return _UNSEEN.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
