"""The words of a message as stems: plurals and tenses, identifiers taken apart, codes and places by kind.

A stem need not be a word; words of one stem are taken for the same word. Learned weights are of stems.
"""

import re
from functools import lru_cache

MAX_CHARACTERS = 1500
MAX_WORDS = 160

_DROPPED = frozenset({"a", "an", "the", "be", "do", "any", "its", "our", "your", "this", "that", "yet"})
# Forms that no suffix explains, and words that only look as if they had one.
_IRREGULAR = (
    "lose=lost break=broke,broken hang=hung go=gone,went,goes run=ran die=died,dies,dying,dead,death "
    "find=found take=took,taken come=came give=gave,given hold=held keep=kept leave=left send=sent "
    "build=built write=written,wrote blow=blew,blown fall=fell,fallen throw=threw,thrown "
    "deny=denied,denies,denial cannot=can't,couldn't,won't,cannot "
    "not=isn't,wasn't,aren't,weren't,doesn't,didn't,don't,hasn't,haven't be=is,are,was,were,been,being "
    "do=does,did have=has,had fail=failure,failures corrupt=corruption evict=eviction,evictions "
    "preempt=preemption,preemptions allocate=allocation,allocations diverge=divergence "
    "terminate=termination connect=connection,connections authenticate=authentication "
    "authorize=authorization compile=compilation exhaust=exhaustion violate=violation "
    "unauthorized=unauthorised unrecognized=unrecognised cancel=canceled,cancelled,cancelling axis=axes "
    "index=indices,indexes nan=nans op=ops status=status access=access process=process,processes "
    "loss=loss,losses address=address,addresses missing=missing string=string nothing=nothing "
    "during=during need=need speed=speed embed=embed gcs=gcs seed=seed setting=setting,settings "
    "mapping=mapping exceed=exceed,exceeds,exceeded,exceeding proceed=proceed succeed=succeed,succeeded "
)
_STEM_OF = {
    form: base.removesuffix("e") if len(base) > 3 else base
    for base, _, forms in (part.partition("=") for part in _IRREGULAR.split())
    for form in forms.split(",")
}
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
    (r"/dev/shm\b\S*", "shm"),
    (r"\b(?:gpu|tpu)-\d[\w-]*", "node"),
    (r"\bHTTPS?ConnectionPool\b", "http connection"),
    (r"(?<![\w:./])/(?:dev|proc|sys)/[\w./-]+", "devicefile"),
    (r"(?<![\w:.])~?/[\w.@+-]+(?:/[\w.@+=%-]*)*", "filepath"),
    (r"(?<![\w-])--[a-z][\w-]*", "flagname"),
)
_PLACE_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), f" {name} ") for pattern, name in _PLACES)
# "a.b.exceptions.NotReadyError": the package and what the name says; "Error" says no more than the line.
_EXCEPTION = re.compile(
    r"(?<![\w/.])(?:(?P<package>[a-z_]\w*)(?:\.[a-z_]\w*)*\.)?(?P<name>_?[A-Z]\w*?)(?:Error|Exception)\b"
    r"|(?<![\w/.])(?P<package2>[a-z_]\w*)(?:\.[a-z_]\w*)*\.(?P<name2>[A-Z]\w*[a-z]\w*)"
)
_CODE = re.compile(
    r"(?i)(?:\b(?:http|status|code|error|response|returned|got)|statuscode)\b[^\d\n]{0,14}(?<![\d.])(?P<http>[45]\d\d)(?!\d)"
    r"|(?<![\d.])(?P<status>[45]\d\d) (?=(?-i:[A-Z][a-z])|client error|server error)"
    r"|\b(?:exit|return)(?:ed)?(?: with)?(?: (?:non-?zero )?(?:exit )?(?:code|status))?[ :=(]{1,3}"
    r"(?P<exit>-?\d+)"
    r"|\b(?-i:E(?P<errno>[A-Z]{2,12}))\b|\[?errno (?P<number>\d+)"
)
_HTTP = {"401": "httpauth", "403": "httpauth", "404": "httpabsent", "429": "httpbusy"}
_ERRNO = {
    "operation not permitted": "1 PERM",
    "no such file": "2 NOENT",
    "no such process": "3 SRCH",
    "io error": "5 IO",
    "no such device": "6 NXIO 19 NODEV",
    "argument list too long": "7 2BIG",
    "exec format error": "8 NOEXEC",
    "resource temporarily unavailable": "11 AGAIN",
    "out of memory": "12 NOMEM",
    "permission denied": "13 ACCES",
    "device busy": "16 BUSY",
    "file exist": "17 EXIST",
    "not directory": "20 NOTDIR",
    "too many open file": "23 NFILE 24 MFILE",
    "file size limit": "27 FBIG",
    "disk full": "28 NOSPC",
    "read only file system": "30 ROFS",
    "connection broken": "32 PIPE",
    "file name too long": "36 NAMETOOLONG",
    "directory not empty": "39 NOTEMPTY",
    "level of symbolic link": "40 LOOP",
    "address already in use": "98 ADDRINUSE",
    "cannot assign address": "99 ADDRNOTAVAIL",
    "network unreachable": "100 NETDOWN 101 NETUNREACH 102 NETRESET",
    "connection abort": "103 CONNABORTED",
    "connection reset": "104 CONNRESET",
    "no buffer space": "105 NOBUFS",
    "connection closed": "107 NOTCONN 108 SHUTDOWN",
    "connection timeout": "110 TIMEDOUT",
    "connection refused": "111 CONNREFUSED",
    "host unreachable": "112 HOSTDOWN 113 HOSTUNREACH",
    "stale file handle": "116 STALE",
    "remote io error": "121 REMOTEIO",
    "disk quota exceeded": "122 DQUOT",
}
_WORDS_OF_ERRNO = {code: words for words, codes in _ERRNO.items() for code in codes.split()}
_KILLED = frozenset({"137", "9"})  # exit codes of a process that was killed
_WHOLE = "nan|s3|x509|x86|arm64|aarch64|amd64|bz2|md5|mlx5|h5"
_WORD = re.compile(
    rf"(?<![A-Za-z0-9])(?i:{_WHOLE})(?![A-Za-z0-9])|[A-Z]+(?=[A-Z][a-z]|\d|\b|_)|[A-Z]?[a-z]+(?:'(?:t|s)\b)?|[A-Z]+"
)


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
    """The stems of a message in order, without small words and numbers; a code or a place has one word."""
    text = _CODE.sub(_name_code, message[:MAX_CHARACTERS])
    text = _EXCEPTION.sub(_name_exception, text)
    for pattern, name in _PLACE_PATTERNS:
        text = pattern.sub(name, text)
    words = _WORD.findall(text.replace("’", "'"))[:MAX_WORDS]
    stems = (stem(word.lower().removesuffix("'s")) for word in words)
    return tuple(word for word in stems if word not in _DROPPED)


def _name_exception(found: re.Match[str]) -> str:
    """An exception as its package and its name; `ValueError` is `Value valueexc`."""
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
    return f" {_WORDS_OF_ERRNO.get(found['errno'] or found['number'], found[0])} "
