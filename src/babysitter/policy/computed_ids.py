"""Names and ids that are computed from their cause, so that a second try after a crash finds the first."""

import hashlib
import re

from babysitter.model.ids import Digest, IncidentId, JobId, ProposalId
from babysitter.model.incident import IncidentKey
from babysitter.model.proposal import ProposalFacts

_RESTART_SUFFIX = re.compile(r"-r(\d+)$")


def next_job_name(first_root: JobId, restart: int) -> JobId:
    """The id of the `restart`-th (1-based) resubmission of the job first watched.

    /me/dedup -> /me/dedup-r1; /me/dedup-r2 (somebody's own restart) -> /me/dedup-r3. Always a fresh
    name: reusing a stopped job's name blocks for minutes on the cluster.
    """
    suffix = _RESTART_SUFFIX.search(first_root)
    base, offset = (first_root[: suffix.start()], int(suffix[1])) if suffix else (first_root, 0)
    return JobId(f"{base}-r{offset + restart}")


def incident_id(key: IncidentKey, number: int) -> IncidentId:
    """The `number`-th incident of this key."""
    return IncidentId("i-" + _short(key.watch, key.cause, key.attempt, str(number)))


def proposal_id(incident: IncidentId, number: int) -> ProposalId:
    """The `number`-th proposal of this incident; opaque, so it may travel in a button."""
    return ProposalId("p-" + _short(incident, str(number)))


def digest(facts: ProposalFacts) -> Digest:
    """The fingerprint of the facts a proposal rests on."""
    return Digest(
        _short(
            facts.root,
            facts.root_state,
            facts.attempt,
            facts.cause,
            *facts.submission,
            str(facts.two_coordinators),
            length=32,
        )
    )


def _short(*parts: str, length: int = 10) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:length]
