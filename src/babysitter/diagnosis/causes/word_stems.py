"""Words of a message as stems: English plurals and tenses, identifiers taken apart, places named by kind."""

import re
from functools import lru_cache

MAX_CHARACTERS = 1500
MAX_WORDS = 160

# Forms that no suffix explains.
_IRREGULAR = {
    "lost": "lose", "broke": "break", "broken": "break", "hung": "hang", "gone": "go", "went": "go",
    "ran": "run", "died": "die", "dies": "die", "dying": "die", "dead": "die", "death": "die", "shut": "shut",
    "found": "find", "took": "take", "taken": "take", "came": "come", "gave": "give", "given": "give",
    "held": "hold", "kept": "keep", "left": "leave", "sent": "send", "spent": "spend", "built": "build",
    "written": "write", "wrote": "write", "read": "read", "blew": "blow", "blown": "blow", "fell": "fall",
    "fallen": "fall", "threw": "throw", "thrown": "throw", "stuck": "stuck", "denied": "deny",
    "denies": "deny", "retries": "retry", "tries": "try", "bytes": "byte", "caches": "cache",
    "cannot": "cannot", "can't": "cannot", "couldn't": "cannot", "isn't": "not", "wasn't": "not",
    "doesn't": "not", "didn't": "not", "won't": "cannot", "has": "have", "had": "have", "is": "be", "are": "be",
    "was": "be", "were": "be", "been": "be", "does": "do", "did": "do", "gpus": "gpu", "tpus": "tpu",
    "gcs": "gcs", "nans": "nan", "ess": "ess", "dns": "dns", "tls": "tls", "nfs": "nfs", "rss": "rss",
    "ops": "op", "axes": "axis", "axis": "axis", "indices": "index", "indexes": "index", "statuses": "status",
    "status": "status", "access": "access", "process": "process", "processes": "process", "loss": "loss",
    "losses": "loss", "less": "less", "address": "address", "addresses": "address", "us": "us", "this": "this",
    "missing": "missing", "bus": "bus", "quotas": "quota", "schemas": "schema", "canceled": "cancel",
    "cancelled": "cancel", "cancelling": "cancel", "failure": "fail", "failures": "fail", "timeouts": "timeout",
    "mismatches": "mismatch", "corruption": "corrupt", "eviction": "evict", "evictions": "evict",
    "preemption": "preempt", "preemptions": "preempt", "permissions": "permission", "unauthorised": "unauthorized",
    "unrecognised": "unrecognized", "allocation": "allocate", "allocations": "allocate",
    "divergence": "diverge", "termination": "terminate", "connection": "connect", "connections": "connect",
    "authentication": "authenticate", "authorization": "authorize", "compilation": "compile",
    "reclamation": "reclaim", "exhaustion": "exhaust", "violation": "violate", "string": "string",
    "ring": "ring", "nothing": "nothing", "bring": "bring", "thing": "thing", "during": "during", "need": "need",
    "speed": "speed", "feed": "feed", "embed": "embed", "seed": "seed", "red": "red", "bed": "bed", "ping": "ping",
    "king": "king", "setting": "setting", "settings": "setting", "mapping": "mapping",
}  # fmt: skip
_SUFFIX = re.compile(r"(?<=[a-z]{2})(?:ies|ied|ing|ed|es|s)$")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of a word in lower case. It need not be a word; the same stem means the same word."""
    if (known := _IRREGULAR.get(word)) is not None:
        return known
    if len(word) < 4 or not word.isalpha():
        return word
    found = _SUFFIX.search(word)
    if found is None or word.endswith(("ss", "us", "is")):
        return word.removesuffix("e")
    base, suffix = word[: found.start()], found[0]
    if suffix in ("ies", "ied"):
        return base + "y"
    if suffix in ("ing", "ed") and not re.search(r"[aeiouy]", base):
        return word
    return _DOUBLED.sub(r"\1", base).removesuffix("e")


_PLACES = (
    (re.compile(r"\b(?:gs|s3|s3a|r2|abfss?|wasbs?|az|oci|hf|cos|oss|swift)://\S*", re.IGNORECASE), " objectstore "),
    (re.compile(r"\b(?:https?|wss?|grpcs?|tcp|redis|ldaps?|amqp|unix|ipc)://\S*", re.IGNORECASE), " weburl "),
    (re.compile(r"\blib[\w+-]+\.so(?:\.\d+)*\b|\b[\w/.-]+\.so(?:\.\d+)+\b|[\w/.-]+\.(?:so|dylib|dll)\b"), " sharedlib "),
    (
        re.compile(
            r"(?<![\w.])[\w./=*%{}-]*[\w}*]\.(?:parquet|jsonl?|csv|tsv|zst|gz|bz2|tar|tgz|zip|arrow|npz|npy|bin|idx|"
            r"safetensors|ckpt|pt|pth|lance|avro|orc|tfrecords?|hdf5|h5|warc|txt|vtx|shard)\b"
        ),
        " datafile ",
    ),
    (re.compile(r"(?<![\w.])[\w./-]*\w\.(?:ya?ml|toml|ini|cfg|conf|env)\b"), " settingfile "),
    (re.compile(r"(?<![\w.])[\w./-]*\w\.(?:py|cc|cpp|cu|go|rs|h|hpp|java|c)(?::\d+)*\b"), " "),
    (re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?!\w)|\[[0-9a-f:]*::[0-9a-f:]*\](?::\d+)?"), " netaddress "),
    (re.compile(r"(?<![\w.])[a-z0-9][\w-]*(?:\.[a-z0-9][\w-]*)+:\d{2,5}\b"), " netaddress "),
    (re.compile(r"(?<![\w:./])/(?:dev|proc|sys)/[\w./-]+"), " devicefile "),
    (re.compile(r"(?<![\w:.])~?/[\w.@+-]+(?:/[\w.@+=%-]*)*"), " filepath "),
    (re.compile(r"(?<![\w-])--[a-z][\w-]*"), " flagname "),
)  # fmt: skip
# "a.b.exceptions.NotReadyError": the package and what the name says; "Error" says no more than the line itself.
_EXCEPTION = re.compile(
    r"(?<![\w/])(?P<package>[a-z_]\w*)?(?P<path>(?:\.[a-z_]\w*)*)\.?(?P<name>\b_?[A-Z]\w*?)(?:Error|Exception)\b(?P<own>:|\()?"
)
_CODES = re.compile(
    r"(?i)\b(?:http|status|code|error|response|returned|got)\b[^\d\n]{0,14}(?<![\d.])(?P<http>[45]\d\d)(?!\d)"
    r"|(?<![\d.])(?P<http2>[45]\d\d) (?=[A-Z][a-z]|client error|server error)"
    r"|\b(?:exit|return)(?:ed)?(?: with)?(?: (?:non-?zero )?(?:exit )?(?:code|status))?[ :=]{1,3}(?P<exit>-?\d+)"
    r"|\bE(?P<errno>[A-Z]{4,12})\b|\[?errno (?P<number>\d+)"
)
_ERRNO = {
    "12": "errnomemory", "13": "permission deny", "28": "disk full", "98": "address already in use",
    "104": "connect reset", "110": "connect timeout", "111": "connect refuse", "113": "host unreachable",
    "122": "disk quota exceed", "2": "no such file", "5": "io error", "30": "read only file system",
    "NOSPC": "disk full", "NOMEM": "errnomemory", "ACCES": "permission deny", "CONNREFUSED": "connect refuse",
    "CONNRESET": "connect reset", "TIMEDOUT": "connect timeout", "NOENT": "no such file", "DQUOT": "disk quota exceed",
    "ADDRINUSE": "address already in use", "HOSTUNREACH": "host unreachable", "PIPE": "connect break", "ROFS": "read only file system",
}  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z]|\d|\b|_)|[A-Z]?[a-z]+(?:['’](?:t|s)\b)?|[A-Z]+|\d+")


@lru_cache(maxsize=2048)
def read_stems(message: str) -> tuple[str, ...]:
    """The stems of a message in order; numbers only where they are codes."""
    text = message[:MAX_CHARACTERS]
    text = _EXCEPTION.sub(r"\g<package> \g<name> \g<name>exc ", _CODES.sub(_name_code, text))
    for pattern, name in _PLACES:
        text = pattern.sub(name, text)
    words = _WORD.findall(text.replace("’", "'"))[:MAX_WORDS]
    return tuple(stem(word.lower().removesuffix("'s")) for word in words if not word.isdigit())


def _name_code(found: re.Match[str]) -> str:
    """A code in words, behind the text that stands in front of it."""
    if (code := found["http"] or found["http2"]) is not None:
        return f"{found[0][: found[0].rindex(code)]} {_http(code)} "
    if found["exit"] is not None:
        name = "exitkill" if found["exit"].lstrip("-") in ("137", "9") else "exitcode"
        return f" {name} " if found["exit"] != "0" else " exited "
    return f" {_ERRNO.get(found['errno'] or found['number'], '')} {found[0] if found['errno'] else ''} "


def _http(code: str) -> str:
    return {"401": "httpauth", "403": "httpauth", "404": "httpabsent", "429": "httpbusy"}.get(
        code, "httpserver" if code[0] == "5" else "httpclient"
    )
