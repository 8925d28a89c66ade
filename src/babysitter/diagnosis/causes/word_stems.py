"""The words of a message as stems: English plurals and tenses, identifiers taken apart, codes and places by kind.

A stem need not be a word; words of one stem are taken for the same word. The words of the vocabulary go
through the same function, so only that matters.
"""

import re
from functools import lru_cache

MAX_CHARACTERS = 1500
MAX_WORDS = 160

_DROPPED = frozenset({"a", "an", "the", "be", "do", "any", "its", "our", "your", "this", "that", "yet"})
# Forms that no suffix explains, and words that only look as if they had one.
_IRREGULAR = {
    "lost": "lose", "broke": "break", "broken": "break", "hung": "hang", "gone": "go", "went": "go", "goes": "go",
    "ran": "run", "died": "die", "dies": "die", "dying": "die", "dead": "die", "death": "die", "found": "find",
    "took": "take", "taken": "take", "came": "come", "gave": "give", "given": "give", "held": "hold",
    "kept": "keep", "left": "leave", "sent": "send", "built": "build", "written": "write", "wrote": "write",
    "blew": "blow", "blown": "blow", "fell": "fall", "fallen": "fall", "threw": "throw", "thrown": "throw",
    "denied": "deny", "denies": "deny", "denial": "deny",
    "can't": "cannot", "couldn't": "cannot", "won't": "cannot", "isn't": "not", "wasn't": "not", "aren't": "not",
    "weren't": "not", "doesn't": "not", "didn't": "not", "don't": "not", "hasn't": "not", "haven't": "not",
    "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "being": "be", "does": "do", "did": "do",
    "has": "have", "had": "have", "failure": "fail", "failures": "fail", "corruption": "corrupt",
    "eviction": "evict", "evictions": "evict", "preemption": "preempt", "preemptions": "preempt",
    "allocation": "allocate", "allocations": "allocate", "divergence": "diverge", "termination": "terminate",
    "connection": "connect", "connections": "connect", "authentication": "authenticate",
    "authorization": "authorize", "compilation": "compile", "exhaustion": "exhaust", "violation": "violate",
    "unauthorised": "unauthorized", "unrecognised": "unrecognized", "canceled": "cancel", "cancelled": "cancel",
    "cancelling": "cancel", "axes": "axis", "indices": "index", "indexes": "index", "nans": "nan", "ops": "op",
    "status": "status", "access": "access", "process": "process", "processes": "process", "loss": "loss",
    "losses": "loss", "address": "address", "addresses": "address", "missing": "missing", "string": "string",
    "nothing": "nothing", "during": "during", "need": "need", "speed": "speed", "embed": "embed", "gcs": "gcs",
    "seed": "seed", "setting": "setting", "settings": "setting", "mapping": "mapping", "cannot": "cannot",
}  # fmt: skip
_STEM_OF = {form: base.removesuffix("e") if len(base) > 3 else base for form, base in _IRREGULAR.items()}
_SUFFIX = re.compile(r"(?<=[a-z]{2})(?:ies|ied|ing|ed|es|s)$")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_VOWEL = re.compile(r"[aeiouy]")

# What stands for a place, by what is there; the names of files say nothing about a failure.
_PLACES = (
    (r"\b(?:gs|s3a?|r2|abfss?|wasbs?|az|oci|hf|cos|oss|swift)://\S*", "objectstore"),
    (r"\b(?:https?|wss?|grpcs?|tcp|redis|ldaps?|amqp|unix|ipc)://\S*", "weburl"),
    (r"\blib[\w+-]+\.so(?:\.\d+)*\b|[\w/.-]+\.(?:so(?:\.\d+)+|so|dylib|dll)\b", "sharedlib"),
    (
        r"(?<![\w.])[\w./=*%{}-]*[\w}*]\.(?:parquet|jsonl?|csv|tsv|zst|gz|bz2|tar|tgz|zip|arrow|np[zy]|bin|idx|"
        r"safetensors|ckpt|pth?|lance|avro|orc|tfrecords?|hdf5|h5|warc|txt|shard)\b",
        "datafile",
    ),
    (r"(?<![\w.])[\w./-]*\w\.(?:ya?ml|toml|ini|cfg|conf|env)\b", "settingfile"),
    (r"(?<![\w.])[\w./-]*\w\.(?:py|cc|cpp|cu|go|rs|h|hpp|java|c)(?::\d+)*\b", ""),
    (r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?!\w)|\[[0-9a-f:]*::[0-9a-f:]*\](?::\d+)?", "netaddress"),
    (r"(?<![\w.])[a-z0-9][\w-]*(?:\.[a-z0-9][\w-]*)+:\d{2,5}\b", "netaddress"),
    (r"(?<![\w:./])/(?:dev|proc|sys)/[\w./-]+", "devicefile"),
    (r"(?<![\w:.])~?/[\w.@+-]+(?:/[\w.@+=%-]*)*", "filepath"),
    (r"(?<![\w-])--[a-z][\w-]*", "flagname"),
)
_PLACE_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), f" {name} ") for pattern, name in _PLACES)
# "a.b.exceptions.NotReadyError": the package and what the name says; "Error" says no more than the line itself.
_EXCEPTION = re.compile(
    r"(?<![\w/.])(?:(?P<package>[a-z_]\w*)(?:\.[a-z_]\w*)*\.)?(?P<name>_?[A-Z]\w*?)(?:Error|Exception)\b"
    r"|(?<![\w/.])(?P<package2>[a-z_]\w*)(?:\.[a-z_]\w*)*\.(?P<name2>[A-Z]\w*[a-z]\w*)"
)
_CODE = re.compile(
    r"(?i)\b(?:http|status|code|error|response|returned|got)\b[^\d\n]{0,14}(?<![\d.])(?P<http>[45]\d\d)(?!\d)"
    r"|(?<![\d.])(?P<status>[45]\d\d) (?=[A-Z][a-z]|client error|server error)"
    r"|\b(?:exit|return)(?:ed)?(?: with)?(?: (?:non-?zero )?(?:exit )?(?:code|status))?[ :=]{1,3}(?P<exit>-?\d+)"
    r"|\bE(?P<errno>[A-Z]{4,12})\b|\[?errno (?P<number>\d+)"
)
_HTTP = {"401": "httpauth", "403": "httpauth", "404": "httpabsent", "429": "httpbusy"}
_ERRNO = {
    "2": "no such file", "5": "io error", "12": "out of memory", "13": "permission denied", "28": "disk full",
    "30": "read only file system", "98": "address already in use", "104": "connection reset",
    "110": "connection timeout", "111": "connection refused", "113": "host unreachable", "122": "disk quota exceeded",
}  # fmt: skip
_ERRNO |= {
    "NOENT": _ERRNO["2"], "NOMEM": _ERRNO["12"], "ACCES": _ERRNO["13"], "NOSPC": _ERRNO["28"], "ROFS": _ERRNO["30"],
    "ADDRINUSE": _ERRNO["98"], "CONNRESET": _ERRNO["104"], "TIMEDOUT": _ERRNO["110"], "CONNREFUSED": _ERRNO["111"],
    "HOSTUNREACH": _ERRNO["113"], "DQUOT": _ERRNO["122"], "PIPE": "connection broken",
}  # fmt: skip
_KILLED = frozenset({"137", "9"})  # exit codes of a process that was killed
_WITH_DIGITS = "s3|x509|x86|arm64|aarch64|amd64|bz2|md5|mlx5|h5"
_WORD = re.compile(rf"(?<![A-Za-z0-9])(?i:{_WITH_DIGITS})(?![A-Za-z0-9])|[A-Z]+(?=[A-Z][a-z]|\d|\b|_)|[A-Z]?[a-z]+(?:'(?:t|s)\b)?|[A-Z]+")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if (known := _STEM_OF.get(word)) is not None:
        return known
    if len(word) < 4 or not word.isalpha():
        return word
    found = _SUFFIX.search(word)
    if found is None or word.endswith(("ss", "us", "is")):
        return word.removesuffix("e")
    base, suffix = word[: found.start()], found[0]
    if suffix in ("ies", "ied"):
        return base + "y"
    if suffix in ("ing", "ed") and not _VOWEL.search(base):
        return word
    return _DOUBLED.sub(r"\1", base).removesuffix("e")


@lru_cache(maxsize=2048)
def read_stems(message: str) -> tuple[str, ...]:
    """The stems of a message in order. Small words and numbers are left out; a code or a place has one word."""
    text = _CODE.sub(_name_code, message[:MAX_CHARACTERS])
    text = _EXCEPTION.sub(_name_exception, text)
    for pattern, name in _PLACE_PATTERNS:
        text = pattern.sub(name, text)
    words = _WORD.findall(text.replace("’", "'"))[:MAX_WORDS]
    stems = (stem(word.lower().removesuffix("'s")) for word in words)
    return tuple(each for each in stems if each not in _DROPPED)


def _name_exception(found: re.Match[str]) -> str:
    """An exception as its package and its name, which also stands as one word: `ValueError` is `value valueexc`."""
    name = found["name"]
    if name is None:
        return f"{found['package2']} {found['name2']} "
    return f"{found['package'] or ''} {name} {name.lower()}exc "


def _name_code(found: re.Match[str]) -> str:
    """A code as a word, behind the text that introduces it."""
    if (code := found["http"] or found["status"]) is not None:
        name = _HTTP.get(code, "httpserver" if code[0] == "5" else "httpclient")
        return f"{found[0][: found[0].rindex(code)]} {name} "
    if (code := found["exit"]) is not None:
        name = "exitkill" if code.lstrip("-") in _KILLED else "exitcode"
        return f" {name} " if code != "0" else " exited "
    return f" {_ERRNO.get(found['errno'] or found['number'], found[0])} "
