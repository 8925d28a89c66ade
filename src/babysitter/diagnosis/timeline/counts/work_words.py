"""Words that say whether a number counts work, and whether a line reports work at all."""

import re
from collections.abc import Iterable, Sequence


def is_unit(words: Sequence[str]) -> bool:
    """Whether the last of these words is a unit of work, such as "step" or "rows"."""
    return bool(words) and _singular(words[-1]) in UNITS


def counts_work(words: Iterable[str]) -> bool:
    """Whether one of these words names a unit of work, or says that work was done."""
    return any(word in DONE or _singular(word) in UNITS for word in words)


def says_done(words: Iterable[str]) -> bool:
    """Whether one of these words says that work was done."""
    return any(word in DONE for word in words)


def is_state(words: Iterable[str]) -> bool:
    """Whether one of these words is a state that things are counted by, such as "failed" or "pending"."""
    return any(word in STATES or _singular(word) in STATES for word in words)


def measures_else(words: Sequence[str]) -> bool:
    """Whether one of these words names a quantity that is not work done."""
    return is_state(words) or any(word in NOT_WORK or _singular(word) in NOT_WORK for word in words)


def is_progress_line(message: str) -> bool:
    """Whether a rise in this line is work done, and not a retry, a reload, a wait or a failure counted."""
    return not _NO_PROGRESS.search(_STATISTIC.sub("", message)) and not _FAILURE.search(message)


def _singular(word: str) -> str:
    for plural, singular in (("ies", "y"), ("ches", "ch"), ("sses", "ss"), ("s", "")):
        if word.endswith(plural):
            return word.removesuffix(plural) + singular
    return word


def words_in(text: str) -> frozenset[str]:
    """The words of a table, which are separated by spaces and line breaks."""
    return frozenset(text.split())


UNITS = words_in(
    """
    step iter iteration epoch batch row record shard file doc document sample example token item request
    chunk page url object blob image frame part partition segment line entry prompt rollout episode sequence
    artifact byte game trial task question update message event block tile structure simulation checkpoint
    stage phase round cell candidate pair query video clip article paper book sentence word molecule
    """
)
DONE = words_in(
    """
    processed done completed complete finished progress eval evaluated written wrote downloaded uploaded
    fetched copied indexed tokenized merged converted parsed crawled scored graded embedded answered saved
    imported exported encoded decoded rendered read loaded sent received synced replicated compacted trained
    seen consumed moved labelled labeled extracted transcribed translated migrated sorted deduplicated hashed
    verified
    """
)
STATES = words_in(
    """
    failed failure error dead gone refused skipped dropped queued pending waiting remaining left flight
    inflight active alive idle lost evicted preempted killed running unreachable unhealthy missing bad
    corrupt rejected invalid
    """
)
NOT_WORK = words_in(
    """
    worker rank pid gpu tpu chip device host port attempt retry restart loss lr rate learning norm grad
    elapsed eta uptime second sec minute min hour ms time took duration latency age ago mem memory rss heap
    usage used free available utilization utilisation temperature temp power cpu thread version seed size
    length max limit timeout req backlog lag depth score acc accuracy reward ppl
    perplexity entropy kl mean std avg average throughput speed mfu gb mb gib mib kb tb status code http
    lineno preemption warning exception poll heartbeat ping pool capacity need
    quota priority id uid every stderr exit signal index swapped cache replica pod connection socket fd handle
    """
)
_NO_PROGRESS = re.compile(
    r"\b(?:re-?load\w*|exhausted|re-?try\w*|retries|re-?start\w*|again|re-?queu\w*|resum(?:e|ed|es|ing)"
    r"|re-?stor(?:e|ed|es|ing)|attempts?|wait(?:ing|ed|s)?|heartbeats?|poll(?:s|ed|ing)?|keep-?alives?|pings?"
    r"|stuck|stall(?:ed|ing)?|back-?off|hang(?:ing|s)?|hung|blocked|unchanged|no progress"
    r"|not (?:yet|progress\w*|ready|started)|still (?:not|no|wait\w*|at|on))\b",
    re.IGNORECASE,
)
# How many wait beside the work: "951/972 done, 0 waiting", "retries: 0".
_STATISTIC = re.compile(
    r"(?<![\w.,/])\d+ (?:waiting|retries|stalled|blocked)\b(?! (?:for|on|to|at|in)\b)"
    r"|\b(?:waiting|retries|stalled|blocked)['\"]?\s?[:=]\s?\d+(?![\d./])",
    re.IGNORECASE,
)
# A failure, unless it stands in a statistic: "0 errors", "failed: 3".
_FAILURE = re.compile(
    r"(?<!\d )(?<!no )\b(?:fail(?:ed|ure|ures|ing|s)?|errors?|exceptions?|traceback|timed out|timeouts?|died"
    r"|crash(?:ed|es|ing)?|lost|killed|unreachable|refused|abort(?:ed|ing|s)?|cannot|could not|unable)\b"
    r"(?!['\"]?\s*[:=]\s*\d)",
    re.IGNORECASE,
)
