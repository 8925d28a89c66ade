"""Where a value begins and ends: quoted, bare, or a whole bracketed structure."""

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_shapes import is_placeholder, is_spoken
from babysitter.redact.text_spans import REDACTED, Span, word_set

MAX_STRUCTURE = 65_536
_QUOTE = lazy_regex(r"(?:[bBrRuUfF]{0,2})(\\*)(\"\"\"|'''|\"\"(?=[^\"\s,;:)\]}][^\"\n]{0,4000}\"\")|[\"'`])")
# A word between three quotes, on a line of its own; several words are the documentation of a function.
_BELOW = lazy_regex(r"\n[ \t]{0,80}([^\s\"']{3,2000})[ \t]{0,80}\n[ \t]{0,80}(\"\"\"|''')")
_DOUBLED = lazy_regex(r"''(?=\w[^'\n]{0,512}')")
# A bare word ends at white space, a closing tag, an escape that means white space or a quote, and at a
# separator behind which the next setting or nothing follows.
_BARE = lazy_regex(
    r"(?:"
    r"[^\s\"'<`,;&|)\]}\\%^│┃║，；、]"
    r"|[，；、](?![^\s:=：＝，；、]{1,24}[:=：＝])"
    r"|[,;&|](?!\s|$|amp;(?:\s|$|[A-Za-z_][\w.\-]{0,40}(?:[=:]|%3[dD]))|quot;|#3[49];|lt;/|#60;/|[\"'{\[\\│]|[A-Za-z_][\w.\-]{0,40}(?:[=:]|%3[dD]))"
    r"|[)\]}](?![\s.,;:)\]}\"'│\\]|$)"
    r"|[\"'`](?![\s,;:)\]}>│\\]|$)"
    r"|<(?!/)"
    r"|\\(?![nrt\"'\\]|x00|u0026|u002[27]|u003[cC]/)"
    r"|\^(?!@[A-Za-z_]\w{0,60}=|@$)"  # a NUL, as `cat -v` shows it
    r"|%(?!(?:25){0,3}(?:26|3[bB]|0[aAdD]|20|22|27))"
    r")+"
)
_TO_LINE_END = lazy_regex(r"([A-Za-z0-9][\w'’!?.,\-]{0,30}(?: [\w'’!?.,&+\-]{1,30}){1,23})[ \t]*(?=\n|\Z)")
_WORDS_OF_CODE = word_set("if else await yield lambda not or and in is for new return from")
MAX_INDENT = 80
_RANDOM = lazy_regex(r"[A-Za-z0-9+/_~.%-]{12,512}={0,2}(?::[A-Za-z0-9_\-]{5,64}(?![A-Za-z0-9_\-]|: )){0,3}")
_TRAILING = ".,;:!?)]}"
_OPENING = {"{": "}", "[": "]", "(": ")"}
_KEY_SIGN = lazy_regex(r"\s{0,8}(?::|=>|=(?!=))")
_NEXT_LINE = lazy_regex(r"\n(?=[A-Za-z0-9])")
_LEAF = lazy_regex(r"[A-Za-z0-9_+/=.~!@#$%^&*\-]{1,4096}")


def quoted(text: str, start: int) -> tuple[Span, int] | None:
    """Span between the quotes at `start` and the position behind them; None when there is no quote.

    A quote written with backslashes (`\\"`) ends at one written with as many; a doubled one between letters
    (`'it''s'` of SQL and YAML) stands for itself. One that is never closed on its line was cut: everything
    to the end of the line is the value.
    """
    found = _QUOTE.match(text, start)
    if found is None:
        return None
    closing, begin = found[1] + found[2], found.end()
    if len(found[2]) == 3 and (below := _BELOW.match(text, begin)) is not None and below[2] == found[2]:
        return below.span(1), below.end()
    line_end = text.find("\n", begin)
    line_end = len(text) if line_end < 0 else line_end
    at = begin
    while True:
        at = text.find(closing, at, line_end)
        if at < 0:
            return (begin, line_end), line_end
        slashes = _slashes_before(text, at, begin)
        if not ((slashes % 2 == 0) if not found[1] else slashes == 0):
            at += len(closing)
        elif at > begin and _DOUBLED.match(text, at, line_end) is not None:
            at += 2
        else:
            return (begin, at), at + len(closing)


def _slashes_before(text: str, at: int, begin: int) -> int:
    count = 0
    while at - count > begin and text[at - count - 1] == "\\" and count < 64:
        count += 1
    return count


def bare(text: str, start: int) -> Span | None:
    """Span of the unquoted word at `start`, without the punctuation of the sentence around it."""
    found = _BARE.match(text, start)
    if found is None or text.startswith(REDACTED, start):
        return None
    end = found.end()
    while end > start and text[end - 1] in _TRAILING and not text.startswith(REDACTED, end - len(REDACTED)):
        end -= 1
    return (start, end) if end > start else None


def begins_line(text: str, start: int) -> bool:
    """Whether nothing but blanks stands before this place on its line."""
    return text[max(0, start - MAX_INDENT) : start].rstrip(" \t")[-1:] in ("", "\n")


def spoken_to_line_end(text: str, start: int, *, is_setting: bool) -> Span | None:
    """Span of the words from `start` to the end of the line when they are a phrase that somebody has chosen.

    `is_setting`: they stand in a file of settings, where a sentence is a value.
    """
    words = _TO_LINE_END.match(text, start)
    if words is None or not (is_setting or is_spoken(words[1])):
        return None
    parts = words[1].split()
    return words.span(1) if not is_placeholder(parts[0]) and _WORDS_OF_CODE.isdisjoint(parts) else None


def random_word(text: str, start: int) -> Span | None:
    """Span of the word at `start` when it may be a random string: long enough, and of its alphabet."""
    found = _RANDOM.match(text, start)
    return found.span() if found else None


def structure_leaves(text: str, start: int) -> tuple[list[tuple[str, Span]], int]:
    """Values inside the bracketed structure at `start`, each with its key ("" in lists), and where it ends.

    JSON, Python and YAML in one line or several, also escaped inside a string. A structure that is cut ends
    with the text, at the latest after 64 kB.
    """
    leaves: list[tuple[str, Span]] = []
    depth, at, key, limit = 0, start, "", min(len(text), start + MAX_STRUCTURE)
    while at < limit:
        letter = text[at]
        if letter in _OPENING:
            depth, at = depth + 1, at + 1
        elif letter in ")]}":
            depth, at = depth - 1, at + 1
            if depth == 0:
                return leaves, at
        elif (string := quoted(text, at)) is not None:
            span, after = string
            if _is_key(text, after):
                key = text[span[0] : span[1]]
            else:
                leaves.append((key, span))
            at = max(after, at + 1)
        elif (word := _LEAF.match(text, at)) is not None:
            if _is_key(text, word.end()):
                key = word[0]
            else:
                leaves.append((key, word.span()))
            at = word.end()
        else:
            if letter == ",":
                key = key if _in_list(text, at) else ""
            at += 1
    cut = _NEXT_LINE.search(text, start, at)  # never closed: what is not indented belongs to something else
    return leaves if cut is None else [leaf for leaf in leaves if leaf[1][1] <= cut.start()], at


def _is_key(text: str, after: int) -> bool:
    return _KEY_SIGN.match(text, after) is not None


def _in_list(text: str, comma: int) -> bool:
    """Whether the next thing behind this comma has no key of its own."""
    return (
        lazy_regex(r",\s{0,64}(?:\\*[\"'])?[\w.\-]{1,64}(?:\\*[\"'])?\s{0,4}[:=]").match(text, comma) is None
    )
