"""The first advice about a cause in a program whose table is known: before the advice of the rule."""

import re
from collections.abc import Iterable
from dataclasses import replace

from babysitter.diagnosis.timeline.startup_table import StartupTable
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause, Evidence
from babysitter.model.verdict import Diagnosis

UNSURE_BELOW = 0.65  # a hint; the evidence does not name the cause (guess)
_PROCESS = re.compile(r"\bpid[=:]\s?(?P<pid>\d+)(?:[,\s\\tn]{1,6}ip[=:]\s?(?P<ip>[\d.]+\d))?")
_ON_NODE = re.compile(r"\bip[=:]\s?(?P<ip>[\d.]+\d)")


def with_first_advice(diagnosis: Diagnosis, table: StartupTable) -> Diagnosis:
    """The diagnosis with the program's own first advice; unchanged where nothing is wrong."""
    if about(diagnosis.cause).is_benign:
        return diagnosis
    own = table.first_advice.get(diagnosis.cause, "")
    first = own.replace("{worker}", _worker_file((*diagnosis.evidence, *diagnosis.cascade)))
    advice = diagnosis.advice or about(diagnosis.cause).advice
    is_unsure = diagnosis.cause is Cause.UNKNOWN or diagnosis.confidence < UNSURE_BELOW
    last = table.unsure if is_unsure else ""
    parts = [part for part in (first, advice, last) if part]
    told = [part for place, part in enumerate(parts) if not _is_told(part, parts[:place])]
    return replace(diagnosis, advice=" ".join(told))


def _is_told(part: str, earlier: Iterable[str]) -> bool:
    return any(part in each for each in earlier)


def _worker_file(evidence: Iterable[Evidence]) -> str:
    """The file of the process that the evidence names, as a person finds it."""
    texts = [each.text for each in evidence]
    found = next((found for text in texts if (found := _PROCESS.search(text))), None)
    if found is None:
        return "the worker-*.err of the actor, found by the pid and address in the message"
    node = found["ip"] or next((each["ip"] for text in texts if (each := _ON_NODE.search(text))), "")
    return f"worker-*-{found['pid']}.err" + (f" on {node}" if node else "")
