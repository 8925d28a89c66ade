"""What a check adds to reading and judging: lines that the job never printed while it was well."""

from dataclasses import replace

from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import Cause
from babysitter.model.job import JobState
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.verdict import Verdict
from babysitter.model.watch import Watch
from tests.support.build import watch as made_watch
from tests.support.jobs import look, pipeline, raw, report, tree
from tests.support.recordings import rules

STRANGE = "valve seven has left its seat"


def told(watch: Watch, *looks: Observation) -> Verdict:
    for observation in looks:
        verdict = judge(watch, observation, rules())
        watch = replace(watch, memory=verdict.memory)
    return verdict


def healthy(until_s: int) -> list[Observation]:
    chatter = (
        "polled the feed of region {n}",
        "kept {n} rows in the buffer",
        "flushed part {n} to the store",
    )
    return [
        look(
            s,
            tree(*pipeline()),
            report(s - 1, s // 60),
            *[raw(s - 1, text.format(n=s)) for text in chatter],
        )
        for s in range(60, until_s, 60)
    ]


def test_an_end_that_no_rule_explains_shows_what_was_never_printed_before():
    end = look(660, tree(root=JobState.FAILED), raw(650, "flushed part 12 to the store"), raw(651, STRANGE))
    verdict = told(made_watch(), *healthy(600), end)
    assert verdict.phase is Phase.FINISHED
    assert verdict.cause is Cause.UNKNOWN
    assert [line.text for line in verdict.diagnosis.evidence] == [STRANGE]


def test_a_job_that_was_never_seen_well_shows_its_last_words():
    end = look(660, tree(root=JobState.FAILED), raw(651, STRANGE))
    verdict = told(made_watch(), end)
    assert verdict.memory.healthy_templates == ()
    assert [line.text for line in verdict.diagnosis.evidence] == [STRANGE]
