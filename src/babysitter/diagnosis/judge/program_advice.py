"""The first advice about a cause in a program whose table is known: before the advice of the rule."""

import re
from collections.abc import Iterable
from dataclasses import replace

from babysitter.diagnosis.timeline.startup.startup_table import StartupTable
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry
from babysitter.model.verdict import MORE_DETAIL, UNSURE_BELOW, Change, Diagnosis

_PROCESS = re.compile(r"\bpid[=:]\s?(?P<pid>\d+)(?:[,\s\\tn]{1,6}ip[=:]\s?(?P<ip>[\d.]+\d))?", re.IGNORECASE)
_ON_NODE = re.compile(r"\bip(?: address)?[=:]\s?(?P<ip>[\d.]+\d)", re.IGNORECASE)


def with_first_advice(diagnosis: Diagnosis, table: StartupTable) -> Diagnosis:
    """The diagnosis with the program's own first advice; unchanged where nothing is wrong."""
    if about(diagnosis.cause).is_benign:
        return diagnosis
    own = table.first_advice.get(diagnosis.cause, "")
    first = own.replace("{worker}", _worker_file((*diagnosis.evidence, *diagnosis.cascade)))
    advice = diagnosis.advice or about(diagnosis.cause).advice
    last = table.unsure if _is_unsure(diagnosis) else ""
    parts = [part for part in (first, advice, last) if part]
    told = [part for place, part in enumerate(parts) if not _is_told(part, parts[:place])]
    return replace(diagnosis, advice=" ".join(told))


def with_more_detail(diagnosis: Diagnosis, table: StartupTable, *, is_stalled: bool) -> Diagnosis:
    """The diagnosis of a run that is over, or whose start stands still (`is_stalled`: nothing says why).

    Where its evidence does not name the cause, it advises a restart that says more.
    """
    is_free = diagnosis.change is None and diagnosis.action in (ActionKind.ESCALATE, ActionKind.RESTART)
    is_wanted = is_free and diagnosis.retry is not Retry.ITSELF and (is_stalled or _is_unsure(diagnosis))
    if about(diagnosis.cause).is_benign or not is_wanted or not table.unsure_sets:
        return diagnosis
    changes = tuple(
        Change(f"env.{name}", "", value, MORE_DETAIL) for name, value in table.unsure_sets.items()
    )
    return replace(
        diagnosis,
        action=ActionKind.RESTART_WITH_CHANGE,
        change=changes[0],
        further_changes=changes[1:],
    )


def _is_unsure(diagnosis: Diagnosis) -> bool:
    return diagnosis.cause is Cause.UNKNOWN or diagnosis.confidence < UNSURE_BELOW


def _is_told(part: str, earlier: Iterable[str]) -> bool:
    return any(part in text for text in earlier)


def _worker_file(evidence: Iterable[Evidence]) -> str:
    """The file of the process that the evidence names, as a person finds it."""
    texts = [line.text for line in evidence]
    found = next((found for text in texts if (found := _PROCESS.search(text))), None)
    if found is None:
        return "the worker-*.err of the actor, found by the pid and address in the message"
    node = found["ip"] or next((each["ip"] for text in texts if (each := _ON_NODE.search(text))), "")
    return f"worker-*-{found['pid']}.err" + (f" on {node}" if node else "")
