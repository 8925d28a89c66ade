"""What stands in front of a message: worker prefixes, logger headers, time stamps, escapes."""

import re

MAX_PREFIXES = 6  # Ray's prefix, a rank, a time, a level, a module, a separator

_RANK = r"(?:default|rank|Rank|RANK|local_rank|TP|DP|PP|EP)"
_SLICE = r"(?:TP|DP|PP|EP)\d+"
_DATE = r"\d{4}-\d\d-\d\d"
_LEVEL = r"(?:DEBUG|INFO|WARNING|WARN|ERROR)"
_PREFIXES = (
    r"\([A-Za-z_][\w.:<>-]*(?:\s+rank=\d+)?\s+pid=\d+(?:,\s*ip=[\w.:-]+)?\)\s*",  # Ray
    rf"\[?{_RANK}[ :=_]?\d+(?:\s+{_SLICE})*\]?:?\s+(?=\S)",
    r"\[(?:pod|job|deployment|statefulset)/[\w./-]{1,160}\]\s+(?=\S)",  # kubectl logs --prefix
    r"(?:stdout|stderr)\s+[FP]\s+",  # a container runtime's file, behind the time
    r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,60} [\w./-]{1,40}(?:\[\d+\])?: ",  # a system's journal
    r">{1,3}\s+(?=\S)",  # quoted in a mail or a thread
    r'\{(?:"\w{1,20}":\s?"[^"]{0,80}",\s?){0,4}"(?:log|msg|message|textPayload|line)":\s?"',  # JSON
    r"\d{1,4}:\s+(?=\S)",  # srun -l
    r"(?:\d{1,3}(?:\.\d{1,3}){3}|(?:host|node|worker|slice|task|process)[-_ ]?\d+):\s+",  # pod launchers
    rf"\[?{_DATE}[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?:\s+{_SLICE})*\]?\s*(?:-\s+)?",
    r"\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s+",
    r"[IWEF]\d{4}\s\d\d:\d\d:\d\d\.\d+\s+\d+\s+[\w./-]+:\d+\]\s*",  # absl, glog
    # Iris; a process number and a place may follow the time
    r"[DIWEF]\d{8}\s\d\d:\d\d:\d\d(?:\.\d+)?\s+(?:\d+\s+)?(?:(?:[\w-]+\s+)?[\w./-]+:\d+\]?\s*)?",
    rf"[\w./-]+\.py:\d+\s+-\s+(?:{_LEVEL}\s*(?:::?|-)?)?\s*",  # Levanter
    r"[a-z_]\w*(?:\.\w+)+\s+(?:-\s+)?(?=[\w\[{(\"'])",  # the name of a logger
    rf"\[?{_LEVEL}\]?\s*(?:\d\d-\d\d\s\d\d:\d\d:\d\d\s*)?(?:\[[\w./-]+:\d+\])?:?(?:[\w.]+:(?=\S))?\s*-*\s*",
    r"\[[\w./-]{2,40}\.py:\d+(?::\w+)?\]\s*",
    r"\[[A-Za-z][\w.-]{1,30}\]\s+(?=\S)",
    r"\d{1,4}\s+-\s+(?=[\w.]+\s+-\s+)",  # process index
    rf"[a-z_][\w.]{{2,60}}(?::\d+)?\s+(?:-\s+)?(?:\[?{_LEVEL}\]?)\s*(?:::?|-)?\s*",
    r"task=[\w./-]+\s*\|\s*",
    r"[-|:]\s+",
)
_PREFIX = re.compile(f"^(?:{'|'.join(_PREFIXES)})")
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]")


def strip_header(text: str) -> str:
    """The message of a line, without what stands in front of it."""
    line = (_ESCAPE.sub("", text) if "\x1b" in text else text).strip()
    for _ in range(MAX_PREFIXES):
        shorter = _PREFIX.sub("", line, count=1)
        if shorter == line:
            break
        line = shorter
    return line
