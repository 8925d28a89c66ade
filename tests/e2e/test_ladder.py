"""The story of a debugging log, from a first line of output to a trained model, on a simulated cluster."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import OpenCluster
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.engine.ladder import LadderProgress
from babysitter.engine.service import Service
from babysitter.errors import FactsChanged
from babysitter.messages.ladder_report import ladder_report
from babysitter.model.events import IncidentOpened, RestartProposed
from babysitter.model.ids import Person
from babysitter.model.ladder_run import CheckStatus, StepAttempt, StepOutcome
from babysitter.sim.iris.controller import Simulator
from babysitter.usecases.ladders.run_ladder import LadderRequest, run_ladder
from babysitter.usecases.submitting.submit_job import LocalContext
from babysitter.wiring import open_app
from tests.support.clock import FakeClock
from tests.support.sim_app import opener

SCENARIO = Path(__file__).parents[1] / "support" / "training-ladder.yaml"
STEP_S = 10.0
MAX_STEPS = 400
CLUSTER = """\
name: tiny
controller: {{manual: {{host: 127.0.0.1, port: {port}}}}}
scale_groups:
  cpus:
    num_vms: 1
    resources: {{device_type: cpu, cpu: 8, ram: 32GB, disk: 100GB}}
"""
LADDER = """\
ladder: training-v2
about: Validate training on a new cluster, smoke -> CPU tutorial.
values:
  prefix: old
steps:
  - name: smoke
    command: [python, -c, "print('smoke')"]
    resources: {user: ada}
    success:
      - line: smoke
  - name: cpu
    command: python -m experiments.train_tiny_model_cpu
    resources: {user: ada}
    time_limit: 6h
    success:
      - steps: 100
      - metric: eval/loss
        at_most: 11
      - file: ${prefix}/hf/step-99/config.json
        contains: model_type
        means: No checkpoint was written.
"""


@dataclass
class Story:
    """A person with a ladder file, and everything that they are told."""

    app: App
    service: Service
    sim: Simulator
    clock: FakeClock
    folder: Path
    cluster: ClusterSpec
    told: list[str] = field(default_factory=list)
    stops: str = ""  # somebody stops the job of which this is told

    async def climb(
        self, values: Mapping[str, str] | None = None, variables: Sequence[tuple[str, str]] = ()
    ) -> LadderProgress:
        """`babysit ladder run`, while time passes."""
        request = LadderRequest(
            self.folder / "ladder.yaml", Person("U-ada"), self.cluster, values or {}, variables
        )
        here = LocalContext(self.folder, {"PATH": os.environ["PATH"]}, self.folder)
        running = asyncio.create_task(run_ladder(self.app, request, here, self._hear))
        for _ in range(MAX_STEPS):
            while not running.done() and not self.clock.waiting:  # noqa: ASYNC110  a command runs
                await asyncio.sleep(0.001)
            if running.done():
                return (await running)[1]
            self.clock.advance(STEP_S)
            await self.service.tick()
            await self.service.settled()
        running.cancel()
        raise AssertionError("the ladder does not end")

    def checkpoint(self, prefix: str) -> None:
        """What the training job would write, at the present time of the story."""
        file = self.folder / prefix / "hf" / "step-99" / "config.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"model_type": "llama"}')
        os.utime(file, (self.clock.now().timestamp(),) * 2)

    async def causes(self) -> list[str]:
        async with self.app.store.reading() as tx:
            happened = [stored.event for stored in await tx.events.after(0, at_most=10_000)]
        assert not [
            restart_proposed for restart_proposed in happened if isinstance(restart_proposed, RestartProposed)
        ]
        return [
            incident_opened.cause
            for incident_opened in happened
            if isinstance(incident_opened, IncidentOpened)
        ]

    def _hear(self, progress: LadderProgress) -> None:
        self.told.append(progress.sentence)
        if self.stops and progress.sentence.startswith(self.stops):
            self.sim.cluster.stop(progress.attempts[-1].job)
        if progress.attempts and "fresh" in progress.attempts[-1].command:
            self.checkpoint("fresh")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Story]:
    clock, project = FakeClock(), folder / "project"
    (project / "experiments").mkdir(parents=True)
    (project / "experiments" / "train_tiny_model_cpu.py").write_text("print('trains')\n")
    (project / "ladder.yaml").write_text(LADDER)
    async with Simulator(str(SCENARIO), clock.now) as sim:
        file = folder / "tiny.yaml"
        file.write_text(CLUSTER.format(port=sim.url.rpartition(":")[2]))
        command = (sys.executable, "-m", "babysitter.sim.iris")
        spec = ClusterSpec("tiny", config=str(file), iris_command=command)
        opens = opener(clock, sim)

        def opened_cluster(given: ClusterSpec) -> OpenCluster:
            return opens(replace(given, config="", url=sim.url))

        async with (
            open_app(Settings(state_dir=folder / "state"), clock=clock, opener=opened_cluster) as app,
            Service(app) as service,
        ):
            yield Story(app, service, sim, clock, project, spec)


def newest(progress: LadderProgress) -> tuple[StepAttempt, StepOutcome, str]:
    attempt = progress.attempts[-1]
    assert attempt.result is not None
    return attempt, attempt.result.outcome, attempt.result.cause


async def test_ladder_story_of_the_debugging_log(tmp_path: Path):
    async with opened(tmp_path) as story:
        # Smoke passes. The CPU step fails for want of MARIN_PREFIX, as the checks had warned.
        attempt, outcome, cause = newest(await story.climb())
        assert "smoke: passed. /ada/training-v2-smoke" in " ".join(story.told)
        assert (attempt.step, outcome, cause) == ("cpu", StepOutcome.FAILED, "config-error")
        assert any("output-prefix-missing: MARIN_PREFIX" in warning for warning in attempt.warnings)
        assert attempt.result is not None
        assert any("MARIN_PREFIX" in line for line in attempt.result.evidence)

        # With a prefix it stalls on time-outs and retries without end: escalated, not restarted.
        story.checkpoint("old")
        story.clock.advance(600)
        attempt, outcome, cause = newest(await story.climb(variables=[("MARIN_PREFIX", "old")]))
        assert (outcome, cause) == (StepOutcome.NEEDS_PERSON, "network-timeout")
        assert attempt.changes == ("Added: -e MARIN_PREFIX old",)
        assert not story.sim.cluster.jobs[attempt.job].state.final

        # A change while that job runs would start a second one beside it.
        with pytest.raises(FactsChanged, match="still runs"):
            await story.climb(variables=[("ZEPHYR_NUM_WORKERS", "1")])
        story.sim.cluster.stop(attempt.job)
        attempt, outcome, cause = newest(await story.climb())
        assert attempt.changes == ("Added: -e ZEPHYR_NUM_WORKERS 1",)
        assert (outcome, cause) == (StepOutcome.NEEDS_PERSON, "network-timeout")
        assert "needs-person (network-timeout), the same cause as now" in story.told[-2]
        story.sim.cluster.stop(attempt.job)

        # A fresh output path: the child trains, and every check passes.
        progress = await story.climb(values={"prefix": "fresh"}, variables=[("MARIN_PREFIX", "fresh")])
        attempt, outcome, _ = newest(progress)
        assert outcome is StepOutcome.PASSED
        assert attempt.result is not None
        assert [check.status for check in attempt.result.checks] == [CheckStatus.PASSED] * 4
        assert "on_stop callback" in attempt.result.benign[0]
        assert progress.run.ended_at is not None
        assert len(story.sim.launched) == len(set(story.sim.launched)) == 5
        assert await story.causes() == ["config-error", "network-timeout", "network-timeout"]

        report = ladder_report(progress.run, progress.attempts)
        assert _in_order(report, REPORT) == len(REPORT), REPORT[_in_order(report, REPORT)]


TIMED = """\
ladder: timed
steps:
  - {name: slow, command: [sleep, "1"], resources: {user: ada}, time_limit: 45s}
  - {name: stopped, command: [sleep, "2"], resources: {user: ada}, retries: 2}
"""


async def test_ladder_out_of_time_then_stopped_by_a_person(tmp_path: Path):
    async with opened(tmp_path) as story:
        (story.folder / "ladder.yaml").write_text(TIMED)
        attempt, outcome, _ = newest(await story.climb())
        assert outcome is StepOutcome.TIME_LIMIT
        assert not story.sim.cluster.jobs[attempt.job].state.final
        assert attempt.result is not None
        assert "has not ended within 0.75 min; it was left running" in attempt.result.sentence

        story.stops = "stopped: submitted "
        slow, again, stopped = (await story.climb()).attempts
        assert (again.job, again.has_passed) == (slow.job, True)
        assert stopped.result is not None
        assert (stopped.result.outcome, stopped.result.cause) == (StepOutcome.FAILED, "user-cancel")
        assert story.told[-1] == "stopped: the ladder stops here. The same again would fail again."
        assert len(story.sim.launched) == 2


REPORT = (
    "# Debugging log for training-v2",
    "## Status",
    "- smoke: passed",
    "- cpu: passed (attempt 4)",
    "## 1. smoke",
    "**passed**",
    "## 2. cpu",
    "- Warned before: output-prefix-missing: MARIN_PREFIX",
    "**failed**",
    "- Cause: config-error",
    "Must specify a prefix or set the MARIN_PREFIX environment variable",
    "## 3. cpu",
    "### Hypothesis",
    "config-error: ",
    "### Changes",
    "- Added: `-e MARIN_PREFIX old`",
    "### Results",
    "**needs-person**",
    "Escalated; no restart was proposed.",
    "## 4. cpu",
    "network-timeout: ",
    "- Added: `-e ZEPHYR_NUM_WORKERS 1`",
    "- Before: 12:00 UTC failed (config-error)",
    "needs-person (network-timeout), the same cause as now",
    "## 5. cpu",
    "- Added: `-e MARIN_PREFIX fresh`",
    "- [x] 100 steps are reached",
    "- [x] eval/loss is at most 11: eval/loss is 10.029",
    "- [x] fresh/hf/step-99/config.json exists and contains 'model_type'",
    "- Benign: ",
    "## Next",
)


def _in_order(text: str, parts: Sequence[str]) -> int:
    """How many of the parts stand in the text, one behind the other."""
    at = 0
    for number, part in enumerate(parts):
        at = text.find(part, at)
        if at < 0:
            return number
    return len(parts)
