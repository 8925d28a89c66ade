"""Text that a job works on, printed without marks: titles, rows, samples, answers of a model, test results.

The question is who speaks. In a line that warns of nothing, what stands behind the name of a piece of text is
that text; in a line of information also what stands behind words that name no machinery and no
failure.
"""

import re

from babysitter.diagnosis.frame.data_text import TEXT_NAMES
from babysitter.diagnosis.frame.failure_words import find_failure_words
from babysitter.diagnosis.frame.line import Frame
from babysitter.lazy_regex import lazy_regex
from babysitter.model.log import LogLevel

MAX_LEAD_CHARACTERS = 200
MAX_CHARACTERS = 2000

_WARNS = frozenset({LogLevel.WARNING, LogLevel.ERROR, LogLevel.CRITICAL})
_INFORMS = frozenset({LogLevel.INFO, LogLevel.DEBUG})
# Rows of tables and of files with columns, lines of source code, of a diff, of a page.
_ROW = lazy_regex(
    r"[^|]{0,40}\|.*\|\s*$|[^|]{1,20}\|[^|]+\|[^|]+\||>>> |\[[\"'].*[\"'],|[a-z]{2}: .*->|"
    r"[^\t]{1,30}\t[^\t]+\t[^\t]+|\d{1,12}\t[^\t]+\t|\d{1,12},[\"'].*[\"'],|[+-](?: {2,}|\t)\S|"
    r"[+-]\s*(?:raise|return|def|except|print|assert|log(?:ger|ging)?\.)\b|"
    r"(?:raise [A-Z]\w*\(|(?:log|logger|logging|console)\.\w+\(|print\()|"
    r"(?://|/\*) |<(?:title|h[1-6]|p|li|td|code|pre|blockquote)>|(?:INSERT INTO|VALUES \()"
)
_SPEAKER = lazy_regex(
    r"<(?:user|assistant|human|bot)>|"
    r"(?:turn|message|msg)?[ #\d]{0,6}[\[(]?(?:user|assistant|human|student|bot|q|a)\b[\])]? ?\d*\s?(?:[:>|"
    r"]|(?<=\])) ?(?=\S)",
    re.IGNORECASE,
)
_SPEAKERS = frozenset({"user", "assistant", "human", "student", "bot"})
_TEXT = lazy_regex(
    rf"(?<![\w/.])(?:{TEXT_NAMES}|(?:search )?results? for|headline|commit|issue|ticket|diff|patch|source|"
    rf"target|src|tgt|pred(?:iction)?|hyp|ref|exemplar|centroid|subtitle|"
    rf"line of text|n-?grams?|template|"
    r"word|token|term|label|class|category|topic|duplicate|dup|longest|shortest|typical|random|"
    r"(?:first|last|next|worst|best|top) (?:rows?|records?|lines?|hits?)|rows?|records?|perplexity of|"
    r"score|said by|"
    r"spoken|wrote|neighbou?rs? of|entry|messages?|docs|hits|cell|field|column)(?:s|es)?\b",
    re.IGNORECASE,
)
_JUDGED = lazy_regex(
    r"(?<![\w/.])(?<!no )(?:judge[ds]?|verifier|grader|solution|submission|candidate|sandbox(?:ed)?|rollout|"
    r"episode|unit tests?|"
    r"test cases?|problem|"
    r"outputs? of (?:programs?|snippets?|cells?|scripts?)|"
    r"interpreter|HumanEval|MBPP|completion|trajectory|tool (?:output|result|"
    r"call))s?\b",
    re.IGNORECASE,
)
_MACHINERY = lazy_regex(
    r"\b(?:supervis\w*|daemon\w*|manager|agent|consumer|producer|broker|"
    r"iris|ray|raylet|fray|zephyr|kube\w*|autoscal\w*|controllers?|coordinators?|schedul\w*|workers?|"
    r"slices?|slurm\w*|"
    r"jax\w*|xla|torch\w*|nccl|vllm|sglang|megatron|kernel|systemd|docker\w*|containers?|containerd|runc|"
    r"tasks?|jobs?|"
    r"nodes?|pods?|hosts?|machines?|vms?|replicas?|ranks?|actors?|process(?:es)?|threads? pool|servers?|"
    r"service|clients?|"
    r"pool|endpoints?|gateway|proxy|peers?|sockets?|connections?|disks?|volumes?|mount|file ?system|"
    r"stor(?:e|age)|buckets?|"
    r"gpus?|cuda|tpus?|devices?|drivers?|memory|cgroup|launcher|executor|engine|trainer|loader|reader|"
    r"writer|sink|pipeline|"
    r"shards?|stages?|checkpoints?|ckpt|backend|runtime|daemon|cluster|quota|lease|lock|network|link|port|"
    r"dns|database|db|"
    r"cache|python|pip|uv|gcs|s3|hf|hub|wandb|"
    r"http\w*|grpc|rpc|ssh|"
    r"monitor|watchdog|supervisor|probe|health)\b",
    re.IGNORECASE,
)
# Parts of the user's program: they report too, unless the name of a text follows them.
_PROGRAM = lazy_regex(
    r"\b(?:app|main|root|model|weights|optimizer|loss|grad\w*|step|epoch|train\w*|eval\w*)\b", re.IGNORECASE
)
_TITLE = lazy_regex(
    r"headline|title|subtitle|keyword|term|phrase|token|word|query|results? for|duplicate|commit|said by|"
    r"wrote",
    re.IGNORECASE,
)
_REPORTING = lazy_regex(
    r"\b(?:fail\w*|errors?|err|exceptions?|unable|could not|cannot|can.t|aborted|crash\w*|died|lost|"
    r"gave up|giving up|"
    r"exit(?:ed|s)?|stopp?\w*|terminat\w+|ended|caught|raised|got|received|because|due to|reason|"
    r"cause[ds]?|status|state|"
    r"detected|observed|encountered|hit|saw|found|after|when|while|during|(?!training|string|ranking|"
    r"embedding)[a-z]{2,}ing|"
    r"warn\w*|critical|fatal|panic|attempt|retry|to|from|by|at|on|with|is|was|has|are|were|not|no)\b",
    re.IGNORECASE,
)
_FAILED = lazy_regex(
    r"\b(?:fail\w*|errors?|exceptions?|unable|could not|cannot|can.t|abort\w*|crash\w*|died|lost|killed|"
    r"invalid|corrupt\w*|"
    r"raised|because|due to|reason|missing|timed out|not|no)\b",
    re.IGNORECASE,
)
_PLACE = lazy_regex(
    r"\b\w{2,5}://|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:^|\s)/(?:[\w.-]+/)+|\.(?:go|cc|cpp|c|rs|"
    r"h|py):\d+"
)
# An exception outside of quotes counts, unless a line of information says at once before it whose text it is.
_EXCEPTION = lazy_regex(r"^[^\"'`]*?(?<![\w.])(?P<type>(?:\w+\.)*[A-Z]\w*(?:Error|Exception)): ")
_NEXT_WORD = lazy_regex(r"\s*[\w-]*")
_GROUP = lazy_regex(r"\b(?:cluster|group|bucket) #?\d+\b", re.IGNORECASE)  # of documents
_LEAD_WORD = lazy_regex(r"[A-Za-z]{3,}")
_SEPARATOR = lazy_regex(r"(?:[:=>|(]|->|=>)\s?(?=\S)")


def holds_printed_failure(frame: Frame) -> bool:
    """Whether the words of failure in a line stand in text that it prints: `doc 12: loss: nan`."""
    printed, words = find_printed_text(frame), find_failure_words(frame.message)
    return printed is not None and words is not None and printed[0] <= words[0] < printed[1]


def find_printed_text(frame: Frame) -> tuple[int, int] | None:
    """First and end of the text that a line prints; None if the line speaks for itself."""
    if frame.level in _WARNS:
        return None
    message = frame.message[:MAX_CHARACTERS]
    if _ROW.match(message):
        return 0, len(frame.message)
    exception = _EXCEPTION.match(message)
    if frame.program.lower() in _SPEAKERS and exception is None:
        return 0, len(frame.message)
    if spoken := _SPEAKER.match(message):
        return spoken.end(), len(frame.message)
    informs = frame.level in _INFORMS
    start = _end_of_name(message)
    if start is None and informs and not _MACHINERY.search(frame.program):
        start = _end_of_empty_words(message)
    if exception is not None:
        first = exception.start("type")
        return (first, len(frame.message)) if informs and _is_label(message[start:first], start) else None
    return None if start is None else (start, len(frame.message))


def _is_label(between: str, start: int | None) -> bool:
    """Whether the words from the name of a text to an exception belong to the name: " 12 (n=120): "."""
    if start is None or _MACHINERY.search(between) or _FAILED.search(between):
        return False
    label = between.rstrip(" [(")
    return not label or label.endswith((":", "=", "|", ">"))


def _end_of_name(message: str) -> int | None:
    """Where the text begins that a name introduces: "document 7: ...", "solution 7 raised ..."."""
    judged = _JUDGED.search(message[:MAX_LEAD_CHARACTERS])
    if judged is not None:
        named = _NEXT_WORD.match(message, judged.end())
        if not _MACHINERY.search(message[: named.end() if named else judged.end()]):
            return judged.end()
    name = _TEXT.search(message[:MAX_LEAD_CHARACTERS])
    if name is None:
        return None
    separator = _SEPARATOR.search(message, name.end(), name.end() + MAX_LEAD_CHARACTERS)
    is_title = _TITLE.search(name[0]) is not None
    if separator is None and not is_title:
        return None
    end = separator.end() if separator and not is_title else name.end()
    before, between = _GROUP.sub("", message[: name.start()]), _TEXT.sub("", message[name.end() : end])
    if _MACHINERY.search(before) or _REPORTING.search(before) or _MACHINERY.search(between):
        return None
    return None if _FAILED.search(between) else end


def _end_of_empty_words(message: str) -> int | None:
    """Where the text begins whose words in front name no part of the machinery and report nothing."""
    separator = _SEPARATOR.search(message)
    if separator is None or _PLACE.search(message):
        return None
    lead = message[: separator.end()]
    if not _LEAD_WORD.search(lead) or _MACHINERY.search(lead) or _PROGRAM.search(lead):
        return None
    return None if _REPORTING.search(lead) or find_failure_words(lead) else separator.end()
