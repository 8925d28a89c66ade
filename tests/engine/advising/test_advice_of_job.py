"""What the advisor is given of a job that was looked at."""

from babysitter.advisor.evidence_pack import build_pack
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.engine.advising.advice_of_job import material_of_job, verdict_of_rules
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.playbook.load import load
from babysitter.usecases.looking.classify_text import examine

LOG = """\
task=/ada/train/0 | 2026-08-04 10:00:00 I step 10 loss 2.0
task=/ada/train/0 | 2026-08-04 10:00:09 I step 20 loss 1.9
task=/ada/train/0 | OSError: [Errno 28] No space left on device
"""


def test_material_of_a_job_that_ended():
    facts = JobFacts(state=JobState.FAILED, exit_code=1, error="task 0 failed")
    verdict = examine(LOG, load(), facts).verdict
    observation = observation_of_text(LOG, facts)
    material = material_of_job(verdict, observation.seen_lines * 2, observation)
    pack = build_pack(material)
    assert len(material.lines) == 3
    assert "job /ada/train: state failed; error: task 0 failed" in pack.lines["F1"]
    assert "exit code 1" in pack.text
    assert "[train/0] OSError: [Errno 28] No space left on device" in pack.lines["L3"]
    assert "looked at" not in pack.text
    rules = verdict_of_rules(verdict, verdict.diagnosis)
    assert (rules.cause, rules.has_ended_badly) == ("disk-full", True)


def test_material_of_a_job_that_runs_says_when():
    verdict = examine(LOG, load(), JobFacts(state=JobState.RUNNING, last_line_age_s=900)).verdict
    observation = observation_of_text(LOG, JobFacts(state=JobState.RUNNING, last_line_age_s=900))
    text = build_pack(material_of_job(verdict, observation.seen_lines, observation)).text
    assert "newest line: 10:00:09 UTC" in text
    assert "looked at: 10:15:09 UTC" in text
