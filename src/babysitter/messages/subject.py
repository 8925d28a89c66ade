"""What a message is about, and the few ways of writing foreign text down safely. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from babysitter.messages.formatting import cause_name, shortened
from babysitter.model.finding import Cause, Evidence
from babysitter.model.ids import JobId, Person
from babysitter.model.incident import Incident
from babysitter.model.opinion import OpinionRecord, OpinionRequest
from babysitter.model.past_incident import NOTHING_EARLIER, EarlierIncidents
from babysitter.model.proposal import Decision, Proposal
from babysitter.model.verdict import Diagnosis, ProgressSummary, Verdict
from babysitter.model.watch import Watch
from babysitter.redact import redact

MAX_LINE_CHARS = 2_000
_UNSEEN = {
    (Cause.CONTROLLER_UNREACHABLE, True): "Cluster cannot be seen",
    (Cause.CONTROLLER_UNREACHABLE, False): "Cannot be read",
    (Cause.JOB_GONE, True): "Jobs lost",
}
MAX_SENTENCE_CHARS = 1_200
MAX_EVIDENCE_LINES = 8
MAX_REDACTED_CHARS = 16_384
MAX_SECRET_CHARS = 4_096  # of one word, as far as it may be the beginning of a secret


@dataclass(frozen=True, slots=True)
class MessageSubject:
    """Everything a message may be about. What is not known is left out, and then not spoken of.

    `because`: the named reason for this message. `outcome`: what an action did so far. `by_hand`: the command
    with which a person does what we could not, and `by_hand_job` the job that it submits.
    `affected`: the jobs of a group told once. `decision`: the newest one on `proposal`.
    """

    watch: Watch
    now: datetime
    verdict: Verdict | None = None
    incident: Incident | None = None
    proposal: Proposal | None = None
    decision: Decision | None = None
    because: str = ""
    outcome: str = ""
    by_hand: str = ""
    by_hand_job: str = ""
    open_incidents: tuple[Incident, ...] = ()
    affected: tuple[JobId, ...] = ()
    earlier: EarlierIncidents = NOTHING_EARLIER
    taught: tuple[tuple[Person, bool, Cause | None], ...] = ()  # who said it was right, or its true cause
    advice: OpinionRecord | None = None  # the second opinion on the incident, else on the watch
    advice_request: OpinionRequest | None = None  # a person asked for one, and it is not there yet
    can_ask: bool = False  # whether the service has an advisor

    @property
    def job(self) -> str:
        """The full id of the job that this is about: after a restart an old incident keeps the old job's."""
        return escape(self.proposal.job if self.proposal else self.watch.root)

    @property
    def is_of_cluster(self) -> bool:
        """Whether the incident is about a whole cluster, and not about this watch."""
        return self.incident is not None and self.incident.key.watch != self.watch.id

    @property
    def is_resolved(self) -> bool:
        """Whether the incident is over, and its trouble with it."""
        return self.incident is not None and self.incident.status.is_resolved

    @property
    def may_ask_advice(self) -> bool:
        """Whether a second opinion can be asked for: there is an advisor, and no answer or request yet."""
        has_opinion = self.advice is not None and self.advice.combined.opinion is not None
        is_of_job = self.incident is not None and not self.is_of_cluster
        return self.can_ask and is_of_job and self.advice_request is None and not has_opinion

    @property
    def place(self) -> str:
        """Where the trouble is, in a word: the job's name, or the cluster when all of it is concerned."""
        return escape(self.watch.cluster) if self.is_of_cluster else short_name(self.job)

    @property
    def trouble(self) -> str:
        """The name of the trouble, fit for a title."""
        if self.diagnosis is None:
            return "Incident"
        cause = self.diagnosis.cause
        if self.incident is not None and not self.incident.key.attempt:  # about seeing, not about the job
            return _UNSEEN.get((cause, self.is_of_cluster)) or cause_name(cause)
        return self.diagnosis.title or cause_name(cause)

    @property
    def outlook(self) -> ProgressSummary | None:
        return self.verdict.outlook if self.verdict else self.watch.outlook

    @property
    def diagnosis(self) -> Diagnosis | None:
        if self.incident is not None:
            return self.incident.diagnosis
        return self.verdict.diagnosis if self.verdict else None


def evidence_lines(evidence: Iterable[Evidence], root: JobId, *, most: int) -> tuple[str, ...]:
    """Quoted facts with their place (within `root`, where it is there) and time, safe to leave the machine.

    Further lines of one quotation are indented: what a job prints cannot pass for another quotation.
    """
    lines = []
    for number, line in enumerate(evidence):
        if number >= most:
            break
        source = line.source.replace(f"{root}/", "")
        is_of_file = line.line_number and not line.source.startswith("/")  # of a job it helps nobody to find
        place = f"{source}:{line.line_number}" if is_of_file else source
        when = f"{line.at:%H:%M:%S} " if line.at else ""
        text = escape(line.text).rstrip("\n").replace("\n", "\n    ")
        lines.append(f"{when}{escape(place)} | {text}")
    return tuple(lines)


def escape(text: str, *, most: int = MAX_LINE_CHARS) -> str:
    """Text of foreign origin, fit to leave the machine: no control characters, redacted, bounded."""
    return shortened(redact(_readable_part(text)), most)


def _readable_part(text: str) -> str:
    """A bounded beginning, cut between words: half a secret would not be recognised as one."""
    if len(text) <= MAX_REDACTED_CHARS:
        return text
    beginning = text[:MAX_REDACTED_CHARS]
    whole_words = beginning.rpartition(" ")[0]
    return whole_words or beginning[:-MAX_SECRET_CHARS]


def short_name(job: str) -> str:
    return job.rpartition("/")[2] or job


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def ended(text: str) -> str:
    return text if not text or text[-1] in ".!?" else f"{text}."
