"""Text of the data that a running job prints is no alarm; a real fault in a running job is one."""

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Diagnosis
from babysitter.usecases.looking.classify_text import examine
from babysitter.workbench.evaluate import ALARMS
from tests.support.frightening_data import faults, jobs_that_print_data, running_job_with
from tests.support.recordings import rules

RUNNING = JobFacts(state=JobState.RUNNING)
MAX_ALARMS = 9  # of 180; a verb in front of the data, and lines that begin with ">", still alarm
FAULTS = 250


def _action(text: str) -> ActionKind:
    return _diagnosis(text).action


def _diagnosis(text: str) -> Diagnosis:
    return examine(text, rules(), RUNNING).diagnosis


def _is_noticed(found: Diagnosis) -> bool:
    """Whether it is an alarm, or a preemption, which is said and which the cluster answers by itself."""
    return found.action in ALARMS or (found.cause, found.action) == (Cause.PREEMPTION, ActionKind.WAIT)


def test_data_that_frightens_is_no_alarm():
    alarms = [line for text, line in jobs_that_print_data() if _action(text) in ALARMS]
    assert len(alarms) <= MAX_ALARMS, alarms


def test_faults_of_a_running_job_are_noticed():
    lines = faults(rules(), FAULTS)
    assert len(lines) == FAULTS
    assert not [line for line in lines if not _is_noticed(_diagnosis(running_job_with(line)))]
