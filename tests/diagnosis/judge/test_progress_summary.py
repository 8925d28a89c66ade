"""What a person sees of a job right now, and of how it ended."""

from babysitter.model.finding import Cause
from babysitter.model.ids import TaskId
from babysitter.model.job import Task, TaskState
from tests.diagnosis.judge.test_judgement import story, up
from tests.support.build import ROOT
from tests.support.jobs import F, K, S, look, pipeline, raw, report, tree


def test_the_outlook_shows_stages_pace_and_workers():
    outlook = story(look(70, tree(*pipeline()), report(65, 5)), start=up())[-1].outlook
    assert [(stage.label, stage.done, stage.total) for stage in outlook.stages] == [("stage0-Map", 5, 10)]
    assert (outlook.alive, outlook.workers, outlook.pipeline) == (4, 4, 0)
    assert outlook.rate_per_min is not None
    assert outlook.eta_s is not None


def test_a_stage_that_was_broken_off_was_not_done():
    ended = tree(*pipeline(state=F, workers=K), root=F, failure_count=1)
    outlook = story(look(70, ended, report(65, 5)), start=up())[-1].outlook
    assert [(stage.done, stage.total, stage.is_current) for stage in outlook.stages] == [(5, 10, False)]
    assert (outlook.eta_s, outlook.rate_per_min, outlook.retries) == (None, None, 0)
    assert outlook.summary == "failed after 60 s"


def test_the_last_shard_of_a_pipeline_that_succeeded_was_done():
    ended = tree(*pipeline(state=S, workers=S), root=S)
    outlook = story(look(70, ended, report(65, 9)), start=up())[-1].outlook
    assert [(stage.done, stage.total) for stage in outlook.stages] == [(10, 10)]


def test_an_end_that_nothing_explains_shows_its_exit_code_and_last_words():
    task = Task(TaskId(f"{ROOT}/0"), TaskState.FAILED, exit_code=3, error="Exit code: 3")
    ended = tree(root=F, tasks=(task,))
    verdict = story(look(90, ended, *(raw(80 + n, f"word {n}") for n in range(5))))[-1]
    assert verdict.cause is Cause.UNKNOWN
    assert [line.text for line in verdict.diagnosis.evidence] == [
        "Exit code: 3",
        "word 2",
        "word 3",
        "word 4",
    ]
