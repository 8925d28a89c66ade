"""Text of the data that a running job prints is no alarm; a real fault in a running job is one."""

from babysitter.model.finding import ActionKind
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.classify_text import examine
from babysitter.workbench.evaluate import ALARMS
from tests.support.frightening_data import faults, jobs_that_print_data, running_job_with
from tests.support.recordings import rules

RUNNING = JobFacts(state=JobState.RUNNING)
MAX_ALARMS = 9  # of 180; a verb in front of the data, and lines that begin with ">", still alarm
FAULTS = 250
MAX_UNNOTICED = 9  # notices of preemption, which the cluster answers by itself


def _action(text: str) -> ActionKind:
    return examine(text, rules(), RUNNING).diagnosis.action


def test_data_that_frightens_is_no_alarm():
    alarms = [line for text, line in jobs_that_print_data() if _action(text) in ALARMS]
    assert len(alarms) <= MAX_ALARMS, alarms


def test_faults_of_a_running_job_are_noticed():
    lines = faults(rules(), FAULTS)
    unnoticed = [line for line in lines if _action(running_job_with(line)) not in ALARMS]
    assert len(lines) == FAULTS
    assert len(unnoticed) <= MAX_UNNOTICED, unnoticed
