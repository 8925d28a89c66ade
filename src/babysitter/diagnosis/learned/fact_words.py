"""What is known of a job beside its lines, as words that have learned weights: state, exit code, silence."""

from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts

_AGES_S = ((60.0, "a minute"), (600.0, "ten minutes"), (1800.0, "half an hour"))


def words_of_facts(facts: JobFacts) -> frozenset[str]:
    """The words for the facts of a job."""
    words = {str(facts.state or "no-state")}
    if facts.exit_code is not None:
        words.add(f"exit {facts.exit_code}")
    if facts.pending_reason:
        words.add("pending reason")
    if facts.last_line_age_s and facts.state in (None, JobState.RUNNING):
        age_s = facts.last_line_age_s
        limit = next((name for limit_s, name in _AGES_S if age_s < limit_s), "hours")
        words.add(f"silent for {limit}")
    return frozenset(words)
