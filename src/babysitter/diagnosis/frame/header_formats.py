"""The headers that programs put in front of a message: one row per format, each with a specimen.

Headers may be stacked: a pod prefix, then a container runtime's, then a logger's. Named groups of a pattern:
`date`, `clock`, `zone`, `level`, `program`, `speaker`, `rank`. A specimen ends in the message `hello`.
"""

import re
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits

LOWER, UPPER, DIGITS = ascii_lowercase, ascii_uppercase, digits
DATE = r"(?P<date>\d{4}[-/]\d\d[-/]\d\d)"
CLOCK = r"(?P<clock>\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?)"
ZONE = r"(?P<zone>Z|\s?[+-]\d\d:?\d\d)?"
LEVEL = r"(?P<level>TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL|SEVERE|PANIC)"
LETTER = r"(?P<level>[DIWEFC])"
SOURCE = r"(?P<program>[\w./+-]+):\d+\]"  # file and line in front of a bracket
PARALLEL = r"(?:TP|DP|PP|EP)\d+"
_NO_TIME = r"(?:(?:\d{1,3}\.){3}\d{1,3}|(?:host|node|worker|slice|task|process)[-_ ]?\d+)"


@dataclass(frozen=True, slots=True)
class HeaderFormat:
    """One format. `starts`: the characters that a header of it may begin with."""

    name: str
    starts: str
    pattern: str
    specimen: str


# The first that matches is taken off, so a narrow format stands in front of a wider one.
HEADER_FORMATS = (
    HeaderFormat(
        "ray worker",
        "(",
        r"\((?P<speaker>[A-Za-z_][\w.:<>-]*(?:\([^()]{0,80}\))?(?:\s+rank=(?P<rank>\d+))?\s+pid=\d+(?:,\s*ip=[\w.:-]+)?)\)\s*",
        "(SglEngine pid=5144, ip=192.0.2.2) hello",
    ),
    HeaderFormat(
        "ray daemon",
        "(",
        r"\((?P<speaker>(?:raylet|gcs_server|core_worker|autoscaler)(?:[ ,][^()]{1,40})?)\)\s+"
        r"(?:[\w./]+\.cc:\d+:\s+)?",
        "(raylet, ip=192.0.2.2) hello",
    ),
    HeaderFormat(
        "ray log file",
        "[",
        rf"\[{DATE} {CLOCK}{ZONE} {LETTER} \d+ \d+\]\s+(?:\((?P<speaker>[\w ]+)\)\s+)?"
        r"(?:(?P<program>[\w./]+):\d+:\s+)?",
        "[2026-01-02 10:00:00,123 E 71 71] (raylet) node_manager.cc:3069: hello",
    ),
    HeaderFormat(
        "torch elastic",
        "[" + LOWER + UPPER,
        r"\[?(?P<speaker>(?:default|rank|Rank|RANK|local_rank|TP|DP|PP|EP)[ :=_]?(?P<rank>\d+)"
        rf"(?:\s+{PARALLEL})*)(?:\]:?|:)(?:\s+(?=\S)|(?=\[))",
        "[rank3]:[rank3] hello",
    ),
    HeaderFormat(
        "c10d",
        "[",
        rf"\[{LETTER}(?P<date>\d{{3,4}})?\s(?:{CLOCK}\s)?(?:(?P<program>[\w./+-]+):\d+)\]\s+",
        "[E1104 01:02:03.912345678 ProcessGroupNCCL.cpp:629] hello",
    ),
    HeaderFormat(
        "kubectl --prefix",
        "[",
        r"\[(?P<speaker>(?:pod|job|deployment|statefulset|daemonset)/[\w./-]{1,160})\]\s+(?=\S)",
        "[pod/train-0/main] hello",
    ),
    HeaderFormat(
        "mpirun --tag-output",
        "[",
        r"\[(?P<speaker>\d+,(?P<rank>\d+))\](?:<std(?:out|err)>)?:\s?",
        "[1,3]<stderr>: hello",
    ),
    HeaderFormat(
        "syslog priority", "<", r"<\d{1,3}>(?=[A-Z\d])", "<30>Jan 02 10:11:12 host-3 agent[7]: hello"
    ),
    HeaderFormat("container runtime", "s", r"(?:stdout|stderr)\s+[FP]\s+", "stderr F hello"),
    HeaderFormat(
        "journald",
        UPPER,
        r"(?P<date>[A-Z][a-z]{2} [ \d]\d) (?P<clock>\d\d:\d\d:\d\d) (?P<speaker>\S{1,60}) "
        r"(?P<program>[\w./@-]{1,60})(?:\[\d+\])?: ",
        "Jan 02 10:11:12 host-3 python3[812]: hello",
    ),
    HeaderFormat(
        "journald iso",
        DIGITS,
        rf"{DATE}T{CLOCK}{ZONE} (?P<speaker>[\w.-]{{1,60}}) (?P<program>[\w./@-]{{1,60}})\[\d+\]: ",
        "2026-01-02T10:11:12+0000 host-3 kubelet[812]: hello",
    ),
    HeaderFormat("kernel", "[", r"\[\s*\d{1,9}\.\d{6}\]\s+", "[81234.123456] hello"),
    HeaderFormat("mail", ">", r">{1,2}\s+(?=\S)", "> hello"),
    HeaderFormat(
        "json",
        "{",
        r'\{(?:"[\w.@-]{1,30}":\s?(?:"[^"]{0,120}"|-?[\d.eE+-]{1,30}|true|false|null),\s?){0,8}'
        r'"(?:log|msg|message|textPayload|line|event)":\s?"(?:\\[nt])*',
        '{"time": "2026-01-02T10:11:12Z", "level": "error", "log": "hello',
    ),
    HeaderFormat(
        "logfmt",
        "tl",
        r"(?:ts|time|timestamp|t|level|lvl|severity)=(?:\"[^\"]{1,60}\"|\S{1,60}) "
        r"(?:[a-z][\w.]{0,20}=(?:\"[^\"]{0,80}\"|\S{1,80}) ){0,6}(?:msg|message|event)=\"?",
        "time=2026-01-02T10:11:12Z level=error logger=sync msg=hello",
    ),
    HeaderFormat("srun --label", DIGITS, r"(?P<speaker>(?P<rank>\d{1,5})):\s+", "12: hello"),
    HeaderFormat(
        "slurm",
        "s",
        r"(?P<program>srun|slurmstepd|sbatch|slurmd)(?:-\S{1,40})?:\s+(?P<level>error|warning|info|"
        r"fatal):\s+",
        "srun: error: hello",
    ),
    HeaderFormat("pod launcher", DIGITS + LOWER, rf"(?P<speaker>{_NO_TIME}):\s+", "worker-3: hello"),
    HeaderFormat(
        "docker compose",
        LOWER,
        r"(?P<speaker>[a-z][\w.-]{0,60}-\d{1,4})\s{1,12}\|\s+(?=\S)",
        "api-1  | hello",
    ),
    HeaderFormat(
        "nccl",
        LOWER + UPPER + DIGITS,
        r"(?P<speaker>[\w.-]+:\d+):\d+ \[(?P<rank>-?\d+)\] (?P<program>NCCL) (?P<level>INFO|WARN|TRACE)\s+",
        "node-3:812:901 [2] NCCL WARN hello",
    ),
    HeaderFormat(
        "celery",
        "[",
        rf"\[{DATE} {CLOCK}: (?P<level>[A-Z]{{4,8}})/(?P<speaker>[\w-]+)\]\s+",
        "[2026-01-02 10:00:00,123: INFO/MainProcess] hello",
    ),
    HeaderFormat(
        "env_logger",
        "[",
        rf"\[{DATE}[T ]{CLOCK}{ZONE}\s+{LEVEL}\s+(?P<program>[\w:]+)\]\s+",
        "[2026-01-02T10:11:12Z WARN  store::client] hello",
    ),
    HeaderFormat(
        "date and time",
        "[" + DIGITS,
        rf"\[?{DATE}[T ]{CLOCK}{ZONE}(?P<speaker>(?:\s+{PARALLEL})*)\]?\s*(?:-\s+|:\s+)?",
        "[2026-01-02 10:00:00 TP0 DP1] hello",
    ),
    HeaderFormat(
        "tomcat",
        DIGITS,
        rf"\d\d-[A-Z][a-z]{{2}}-\d{{4}} (?P<clock>\d\d:\d\d:\d\d\.\d{{3}}) {LEVEL} \[[^\]]{{1,60}}\] "
        r"(?P<program>[\w.$]+) ",
        "02-Jan-2026 10:11:12.123 WARNING [main] org.apache.catalina.core.StandardContext.start hello",
    ),
    HeaderFormat(
        "spark",
        DIGITS,
        r"\d\d/\d\d/\d\d (?P<clock>\d\d:\d\d:\d\d)\s+(?=[A-Z]{4,5}\s)",
        "26/01/02 10:11:12 WARN hello",
    ),
    HeaderFormat("time", "[" + DIGITS, r"\[?(?P<clock>\d\d:\d\d:\d\d(?:[.,]\d+)?)\]?\s+", "[10:11:12] hello"),
    HeaderFormat(
        "glog",
        "DIWEFC",
        rf"{LETTER}(?P<date>\d{{4}})\s{CLOCK}\s+(?P<speaker>\d+)\s+{SOURCE}\s*",
        "E0102 10:11:12.123456       1 reflector.go:138] hello",
    ),
    HeaderFormat(
        "iris",
        "DIWEFC",
        rf"{LETTER}(?P<date>\d{{8}})\s(?P<clock>\d\d:\d\d:\d\d(?:\.\d+)?)\s+(?:\d+\s+)?(?:(?:[\w-]+\s+)?(?P<program>[\w./-]+):\d+\]?\s*)?",
        "I20260102 10:11:12 71 app.loop hello",
    ),
    HeaderFormat(
        "levanter",
        LOWER + UPPER + "_./",
        rf"(?P<program>[\w./-]+\.py):\d+\s+-\s+(?:{LEVEL}\b\s*(?:::?|-)?)?\s*",
        "trainer.py:12 - INFO - hello",
    ),
    HeaderFormat(
        "loguru", LOWER + "_", r"(?P<program>[a-z_][\w.]*):[\w<>]+:\d+\s+-\s+", "app.store:read:12 - hello"
    ),
    HeaderFormat(
        "rust module",
        LOWER + "_",
        r"(?:[a-z_]\w*\{[^{}]{0,200}\}:\s?)*(?P<program>[a-z_]\w*(?:::\w+)+)(?:\{[^{}]{0,200}\})?:\s+",
        "store::client: hello",
    ),
    HeaderFormat(
        "name of a logger",
        LOWER + "_",
        r"(?P<program>[a-z_]\w*(?:\.\w+)+)\s+(?:-\s+)?(?=[\w\[{(\"'])",
        "app.loop - hello",
    ),
    HeaderFormat(
        "brackets",
        "[",
        rf"\[(?P<program>[A-Za-z_][\w.-]{{1,60}})\]\[{LEVEL}\]\s*(?:-\s+)?",
        "[__main__][INFO] - hello",
    ),
    HeaderFormat(
        "elasticsearch",
        "[",
        rf"\[{LEVEL}\s*\]\[(?P<program>[\w.-]{{1,80}})\s*\]\s?(?:\[[\w.-]{{1,60}}\]\s?)*",
        "[WARN ][logstash.outputs.elasticsearch][main] hello",
    ),
    HeaderFormat(
        "torchserve",
        "[",
        rf"\[{LEVEL}\s*\]\s(?P<speaker>[\w.]{{1,40}}-[\w.-]{{1,40}})\s(?P<program>\w+(?:\.[\w$]+)+|[A-Z]+_[A-Z]+)\s-\s+",
        "[INFO ] W-9002-ranker_3.0 org.pytorch.serve.wlm.WorkerThread - hello",
    ),
    HeaderFormat(
        "spring boot",
        UPPER,
        rf"{LEVEL}\s+\d+ --- (?:\[[^\]]{{1,60}}\]\s+){{1,2}}(?P<program>\w+(?:\.[\w$]+)+)\s*:\s+",
        "WARN 1 --- [           main] c.a.store.Client   : hello",
    ),
    HeaderFormat(
        "postgres",
        UPPER + "[",
        r"(?:[A-Z]{3,4} )?\[\d+\]\s(?:\w+@\w+\s)?"
        r"(?P<level>DEBUG\d?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC):\s+",
        "UTC [812] WARNING:  hello",
    ),
    HeaderFormat(
        "nginx",
        "[",
        r"\[(?P<level>debug|info|notice|warn|error|crit|alert|emerg)\] \d+#\d+: (?:\*\d+ )?",
        "[warn] 12#12: *8 hello",
    ),
    HeaderFormat(
        "telegraf",
        "DIWE",
        rf"{LETTER}!\s+(?:\[(?P<program>[\w.:-]{{1,60}})\]\s+)?",
        "E! [outputs.file] hello",
    ),
    HeaderFormat("zerolog", "TDIWEFP", r"(?P<level>TRC|DBG|INF|WRN|ERR|FTL|PNC)\s+(?=\S)", "WRN hello"),
    HeaderFormat(
        "airflow",
        "({",
        rf"[({{](?P<program>[\w./-]{{1,60}}\.py):\d+[)}}]\s+{LEVEL}\s+-\s+",
        "{taskinstance.py:1157} INFO - hello",
    ),
    HeaderFormat(
        "level",
        "[" + UPPER,
        rf"\[?{LEVEL}\b(?:\s?\])?\s*(?:\[?(?P<clock>(?:\d\d-\d\d\s)?\d\d:\d\d:\d\d)\]?\s*)?"
        r"(?:\[?(?P<program>[\w./-]+):\d+(?:\]|\s+--\s))?:?"
        r"(?:[\w.]+:(?=\S)|[a-z_][a-z0-9_]*(?:\.[a-z0-9_]+)+:\s)?\s*-*\s*",
        "INFO 01-02 10:00:00 [loggers.py:123] hello",
    ),
    HeaderFormat(
        "source file",
        "[",
        r"\[(?P<program>[\w./-]{1,60}\.(?:py|go|cc|cpp|rs)):\d+(?::\w+)?\]\s*",
        "[a.py:7] hello",
    ),
    HeaderFormat("attempt", "[", r"\[(?:attempt|try|run) #?\d{1,4}\]\s+(?=\S)", "[attempt 2] hello"),
    HeaderFormat(
        "name in brackets", "[", r"\[(?P<program>[A-Za-z][\w.-]{1,30})\]\s+(?=\S)", "[scheduler] hello"
    ),
    HeaderFormat("letter in brackets", "[", rf"\[{LETTER}\]\s+(?=\S)", "[rank1]:[E] hello"),
    HeaderFormat(
        "process group",
        "[",
        r"\[(?P<speaker>PG (?:ID )?\d+[\w() ]{0,60}Rank (?P<rank>\d+))\]\s+",
        "[PG ID 0 PG GUID 0 Rank 2] hello",
    ),
    HeaderFormat("process in brackets", "[", r"\[\d{1,8}\]\s+(?=\[)", "[1234] [INFO] hello"),
    HeaderFormat("process", DIGITS, r"(?P<rank>\d{1,4})\s+-\s+(?=[\w.]+\s+-\s+)", "3 - app.loop - hello"),
    HeaderFormat(
        "go source",
        LOWER + UPPER,
        r"(?P<program>[\w./-]{1,80}\.(?:go|py|rs|cc|cpp)):\d+(?:\]|:)?(?:\s+--)?\s+(?=\S)",
        "controller/sync.go:12 hello",
    ),
    HeaderFormat(
        "name and level",
        LOWER + "_",
        rf"(?P<program>[a-z_][\w.]{{2,60}})(?::\d+)?\s+(?:-\s+)?(?:\[?{LEVEL}\b\]?)\s*(?:::?|-)?\s*",
        "trainer - INFO - hello",
    ),
    HeaderFormat("task", "t", r"task=(?P<speaker>[\w./-]+)\s*\|\s*", "task=/ada/train/0 | hello"),
    HeaderFormat("letter", "DIWEFC", rf"{LETTER}\s+(?=[A-Za-z(\['\"])", "W hello"),
    HeaderFormat("separator", "-|:", r"[-|:]{1,2}\s+", "| hello"),
    HeaderFormat(
        "progress bar",
        LOWER + UPPER + DIGITS,
        r"[^|%]{0,60}?\d{1,3}%\|[^|]{0,200}\|"
        r"\s*[\d.]+[kMG]?/[\d.]+[kMG]?(?:\s\w+)?\s\[[^\]]{1,120}\]\s*(?=[A-Za-z(\[])",
        "train:  40%|####      | 14/35 [00:10<00:20,  1.1s/it]hello",
    ),
)


_GROUP = re.compile(r"\(\?P<(\w+)>")
_Expression = tuple[re.Pattern[str], dict[str, tuple[tuple[str, int], ...]]]


def _alternatives(character: str, *, has_bar: bool) -> re.Pattern[str]:
    """All formats that may begin with a character as one expression; the group `row_<n>` says which."""
    rows = [
        (number, row)
        for number, row in enumerate(HEADER_FORMATS)
        if character in row.starts and (has_bar or row.name != "progress bar")
    ]
    return re.compile("|".join(f"(?P<row_{number}>{_numbered(row, number)})" for number, row in rows))


def _numbered(row: HeaderFormat, number: int) -> str:
    """The pattern with its own group names: one expression may not hold a name twice."""
    return _GROUP.sub(rf"(?P<\1_{number}>", row.pattern)


def _fields(pattern: re.Pattern[str]) -> dict[str, tuple[tuple[str, int], ...]]:
    """For each row of an expression the names of its fields, and their groups."""
    groups = pattern.groupindex
    return {
        row: tuple(
            (name.removesuffix(row[3:]), group)
            for name, group in groups.items()
            if name.endswith(row[3:]) and name != row
        )
        for row in groups
        if row.startswith("row_")
    }


_BAR = "%|"  # stands in every progress bar, whose pattern is slow and is left out where it is missing
_CHARACTERS = {*"".join(row.starts for row in HEADER_FORMATS)}


class _Expressions(dict[str, _Expression | None]):
    """For each first character what finds its headers, and their fields; made when a line begins so."""

    def __init__(self, *, has_bar: bool) -> None:
        super().__init__()
        self._has_bar = has_bar

    def __missing__(self, character: str) -> _Expression | None:
        made = None
        if character in _CHARACTERS:
            pattern = _alternatives(character, has_bar=self._has_bar)
            made = pattern, _fields(pattern)
        if character.isascii():  # a bounded number
            self[character] = made
        return made


_WITH_BAR = _Expressions(has_bar=True)
_WITHOUT_BAR = _Expressions(has_bar=False)
_HAVE_NAMED_FIELDS = frozenset(
    f"row_{number}" for number, row in enumerate(HEADER_FORMATS) if row.name in ("json", "logfmt")
)


def find_header(line: str, start: int) -> tuple[int, list[tuple[str, int, int]], bool] | None:
    """The header that begins at `start`: its end, the spans of its fields, whether more stand behind it."""
    expression = (_WITH_BAR if _BAR in line else _WITHOUT_BAR)[line[start : start + 1]]
    found = expression[0].match(line, start) if expression is not None else None
    if expression is None or found is None or not (row := found.lastgroup) or found.end() == start:
        return None
    fields = [(name, *found.span(group)) for name, group in expression[1][row] if found[group]]
    return found.end(), fields, row in _HAVE_NAMED_FIELDS
