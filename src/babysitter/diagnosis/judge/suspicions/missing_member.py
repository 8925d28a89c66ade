"""Processes of one job that wait for each other: which of them does not come?

Thread dumps decide. Of the processes of one kind (the tasks of a job, the actors of a class) some stand in a
barrier or a reduction; whoever stands elsewhere, or in another call, is waited for. Where none stands in such
a call, the one whose place differs from all others is named. Silence has to agree, and a second dump: a rank
that evaluates while the others wait moves on.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from babysitter.diagnosis.frame.line import read_frame, strip_headers
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, apart_s, none_of, notes_of
from babysitter.diagnosis.judge.suspicions.worker_churn import quiet_limits_s
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.ids import TaskId, group_of, job_of
from babysitter.model.observation import Want
from babysitter.model.thread_dump import DumpSummary, ProcessActivity
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

MAX_NAMED = 3
_RANK = re.compile(r"\s*\[?rank[ =:]?\s?(?P<rank>\d{1,6})\b", re.IGNORECASE)
_WANTS = frozenset({Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.TASKS})


@dataclass(frozen=True, slots=True)
class Member:
    """A process and its newest dumps in one place, since the job fell silent."""

    run: tuple[DumpSummary, ...]

    @property
    def last(self) -> DumpSummary:
        return self.run[-1]

    @property
    def place(self) -> str:
        return self.last.collective or self.last.place

    def stays(self, least_s: float) -> bool:
        """Whether it was seen in this place for so long, and is not at work there."""
        waits = self.last.is_idle or bool(self.last.collective)
        return waits and apart_s(self.run) >= least_s


@dataclass(frozen=True, slots=True)
class Split:
    """The processes of one kind: those that hold up the others, and the others."""

    away: tuple[Member, ...]
    others: tuple[Member, ...]
    call: str = ""  # in which the others wait; "" = they are in none


def missing_member(snapshot: Snapshot) -> Suspicion:
    """Proven by two dumps of whoever is missing; while it moves on, it is only slow."""
    if not snapshot.runs or snapshot.needs_crew or not _stands_still(snapshot):
        return none_of(SignalKind.STUCK, "members.silent", "it runs no processes of which nothing is heard")
    split = next(_splits(_members(snapshot)), None)
    if split is None:
        why_not = "no dump shows a process that others of its kind wait for"
        return none_of(SignalKind.STUCK, "members.split", why_not)
    told = _told(snapshot, split)
    least_s = snapshot.limits.blocked_dumps_apart_s
    named = split.away or split.others
    is_twice = all(apart_s(member.run) >= least_s for member in (*split.others[:1], *named))
    stays = is_twice and all(member.stays(least_s) for member in named)
    reasons = (
        Reason("members.split", True, told),
        Reason(
            "members.two-dumps-agree",
            stays,
            f"in the dumps of {apart_s(named[0].run):.0f} s it stays there (needed: {least_s:.0f} s)",
        ),
    )
    evidence = tuple(_evidence(snapshot, split))
    if not stays:
        level = Certainty.POSSIBLE
        return Suspicion(SignalKind.STUCK, level, reasons, told, evidence=evidence, wants=_WANTS)
    diagnosis = Diagnosis(
        cause=Cause.COLLECTIVE_TIMEOUT if split.call else Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{told}, in every dump of {apart_s(named[0].run):.0f} s.",
        confidence=0.85 if split.away else 0.7,
        evidence=evidence,
        retry=Retry.HELPS,
        look_at=("worker-dumps", "worker-logs"),
        advice=_advice(snapshot, named),
    )
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, evidence, _WANTS)


def _stands_still(snapshot: Snapshot) -> bool:
    if snapshot.memory.still_count is not None:
        return True
    quiet_s = snapshot.age_s(snapshot.memory.last_line_at)
    return snapshot.sees_lines and quiet_s > quiet_limits_s(snapshot)[0]


def _members(snapshot: Snapshot) -> list[Member]:
    """The processes of the root that were dumped since it last printed or advanced."""
    memory, found = snapshot.memory, []
    since = memory.advanced_at if memory.still_count is not None else memory.last_line_at
    for task in dict.fromkeys(note.target for note in memory.dumps):
        notes = [note for note in notes_of(snapshot, task) if since is None or note.taken_at >= since]
        if job_of(task) != snapshot.root.id or not notes:
            continue
        run = notes[-1:]
        for note in reversed(notes[:-1]):
            if (note.collective, note.place, note.line) != (run[0].collective, run[0].place, run[0].line):
                break
            run.insert(0, note)
        found.append(Member(tuple(run)))
    return sorted(found, key=lambda member: member.last.target)


def _splits(members: Sequence[Member]) -> Iterator[Split]:
    """One for each kind of process of which some wait for others; those in a collective call first."""
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(group_of(member.last.target), []).append(member)
    of_several = [group for group in groups.values() if len(group) > 1]
    for group in of_several:
        calls = Counter(member.last.collective for member in group if member.last.collective)
        if calls:
            call = calls.most_common(1)[0][0]
            others = tuple(member for member in group if member.last.collective == call)
            yield Split(tuple(member for member in group if member.last.collective != call), others, call)
    for group in of_several:
        at_work = tuple(member for member in group if member.last.doing is not ProcessActivity.IDLE)
        waiting = tuple(member for member in group if member.last.doing is ProcessActivity.IDLE)
        if waiting and 0 < len(at_work) < len(group):
            yield Split(at_work, waiting)
        places = Counter(member.place for member in group)
        usual, count = places.most_common(1)[0]
        if not waiting and count > 1 and len(group) - count == 1:
            away = tuple(member for member in group if member.place != usual)
            yield Split(away, tuple(member for member in group if member.place == usual))


def _told(snapshot: Snapshot, split: Split) -> str:
    total = len(split.away) + len(split.others)
    kind = group_of(split.others[0].last.target) or "processes"
    if not split.away:
        return f"All {total} {kind} wait in {split.call}, and none of them is missing"
    named = "; ".join(f"{_name(snapshot, member)} {_stand(member)}" for member in split.away[:MAX_NAMED])
    if (left := len(split.away) - MAX_NAMED) > 0:
        named += f"; so do {left} more"
    others = f"wait in {split.call}" if split.call else f"stand in {split.others[0].last.place or 'no frame'}"
    if not split.call and split.others[0].last.doing is ProcessActivity.IDLE:
        others = "have nothing to do"
    return f"{named}; {len(split.others)} of {total} {kind} {others}"


def _stand(member: Member) -> str:
    if member.last.doing is ProcessActivity.IDLE:
        return "runs nothing"
    if member.last.collective:
        return f"waits in another call, {member.last.collective}"
    return f"stands in {member.last.line or member.last.place or 'no frame'}"


def _name(snapshot: Snapshot, member: Member) -> str:
    """Rank, process, pid and machine, as far as they are known."""
    rank, where = _rank(snapshot, member.last.target), _where(snapshot, member)
    name = member.last.target.rpartition("/")[2]
    name = name if group_of(member.last.target) else f"task {name}"
    told = f"rank {rank} ({name}, {where})" if rank is not None else f"{name} ({where})"
    return told.replace(", )", ")").replace(" ()", "")


def _where(snapshot: Snapshot, member: Member) -> str:
    task = next(
        (own_task for own_task in snapshot.root.tasks or () if own_task.id == member.last.target), None
    )
    pid = f"pid={member.last.pid}" if member.last.pid else ""
    node = f"ip={task.worker}" if task is not None and task.worker else ""
    return ", ".join(part for part in (pid, node, task.log_file if task is not None else "") if part)


def _rank(snapshot: Snapshot, task: TaskId) -> int | None:
    """The rank under which its newest line with one was printed."""
    lines = (line.text for line in reversed(snapshot.memory.recent_lines) if line.task == task)
    return next((rank for text in lines if (rank := _rank_in(text)) is not None), None)


def _rank_in(text: str) -> int | None:
    found = _RANK.match(strip_headers(text))
    return int(found["rank"]) if found is not None else read_frame(text).rank


def _evidence(snapshot: Snapshot, split: Split) -> Iterator[Evidence]:
    """The dumps of whoever is missing and of one that waits, and the last line of the missing."""
    for member in (*split.away[:MAX_NAMED], *split.others[: 1 if split.away else MAX_NAMED]):
        last = member.last
        places = dict.fromkeys(part for part in (last.collective, last.line, last.place) if part)
        yield Evidence(
            f"{_where(snapshot, member)}: {' < '.join(places) or 'no frame'}".lstrip(": "),
            f"dump of {last.target}",
            at=last.taken_at,
            role=last.role,
        )
    for member in split.away[:MAX_NAMED]:
        lines = [line for line in snapshot.memory.recent_lines if line.task == member.last.target]
        for line in lines[-1:]:
            yield Evidence(line.text, line.task, attempt=line.attempt)


def _advice(snapshot: Snapshot, named: Sequence[Member]) -> str:
    whose = "; ".join(_name(snapshot, member) for member in named[:MAX_NAMED])
    return f"Read the log of {whose} and see why it stays there; then start the job again."
