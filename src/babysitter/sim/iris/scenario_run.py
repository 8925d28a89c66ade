"""Plays a scenario on a cluster: submits its jobs, lets things befall them, answers a relaunch as it says."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import Any

from babysitter.sim.iris.cluster import RETRY_PAUSE_S, Cluster, Placement, Program
from babysitter.sim.iris.job_output import program_line
from babysitter.sim.iris.parent_program import Parent
from babysitter.sim.iris.programs import Plain
from babysitter.sim.iris.records import Job, State, Task
from babysitter.sim.iris.scenario import Event, KnownProgram, Root, Scenario, Step
from babysitter.sim.iris.starter_program import Starter
from babysitter.sim.iris.submissions import completed, root_request, size_of

_TICKING = (Step(say="tick {n}", every_s=60.0, times=10_000),)
_STRANGERS = (Step(say="tick {n}", every_s=2.0, times=30), Step(say="all done"))


class ScenarioRun:
    """One scenario being played. Jobs from the wire enter by `launch`; `feel` sets the controller's mood."""

    def __init__(self, scenario: Scenario, cluster: Cluster, feel: Callable[[str], None]) -> None:
        self.scenario = scenario
        self.cluster = cluster
        self.launched: list[str] = []
        self._feel = feel
        self._troubles = 0  # of the controller, so far

    @property
    def neighbours(self) -> tuple[str, ...]:
        """Jobs whose names begin like the root's: a careless stop would take them too."""
        return f"{self.scenario.root.id}-lr3", f"{self.scenario.root.id}er"

    @property
    def copies(self) -> tuple[str, ...]:
        """Further jobs that do what the root does."""
        return tuple(f"{self.scenario.root.id}-{number + 1}" for number in range(self.scenario.copies))

    def begin(self) -> None:
        """Submit the job that the scenario is about, and neighbours that it is not about."""
        self.note("Controller started, autoscaler enabled")
        self._play(self.scenario.root, root_request(self.scenario.root, self.cluster.generation))
        for name in self.copies:
            root = replace(self.scenario.root, name=name.rpartition("/")[2])
            self._play(root, root_request(root, self.cluster.generation))
        for name in self.neighbours:
            root = Root(name=name.rpartition("/")[2], argv=("python", "sweep.py"), says=_TICKING)
            self._play(root, root_request(root, self.cluster.generation))
        for event in self.scenario.events:
            self.cluster.timeline.start(self._befall(event), event.at_s)

    def launch(self, request: Mapping[str, Any]) -> Job:
        """Run a submitted job: the scenario's own program again, or a program nobody has heard of."""
        self.launched.append(str(request["name"]))
        self.note(f"Job {request['name']} submitted")
        if self._is_relaunch(request):
            return self._play(self._next_root(request), completed(request))
        known = next((program for program in self.scenario.programs if _is_of(program, request)), None)
        root = known.root if known else Root(says=_STRANGERS)
        return self._play(replace(root, argv=_argv(request)), completed(request))

    def note(self, text: str) -> None:
        """A line in the controller's own log."""
        line = program_line("INFO", self.cluster.now, "iris.cluster.controller.service", text)
        self.cluster.logs.add("/system/controller", self.cluster.now, line, "process")

    def _is_relaunch(self, request: Mapping[str, Any]) -> bool:
        """The same program, or a name made from the first one's."""
        first, name = self.scenario.root, str(request["name"])
        return _argv(request) == first.argv or name == first.id or name.startswith(f"{first.id}-r")

    def _next_root(self, request: Mapping[str, Any]) -> Root:
        given = int(request.get("resources", {}).get("memoryBytes", 0))
        for relaunch in self.scenario.on_relaunch:
            if not relaunch.memory_at_least or given >= size_of(relaunch.memory_at_least):
                return relaunch.root
        return self.scenario.root

    def _play(self, root: Root, request: Mapping[str, Any]) -> Job:
        def program(task: Task) -> Program:
            if root.pipelines:
                return Parent(self.cluster, task, root)
            return Starter(self.cluster, task, root) if root.children else Plain(self.cluster, task, root)

        return self.cluster.launch(request, program, Placement(root.wait_s, root.pending_reason))

    def _befall(self, event: Event) -> Generator[float, None, None]:
        for _ in range(event.times):
            self._do(event)
            if event.for_s and event.do.startswith("controller-"):
                lasting = self._troubles
                yield event.for_s
                if lasting == self._troubles:  # else a later trouble has begun meanwhile
                    self._feel("well")
            if event.for_s and event.do == "jobs-forgotten":
                yield event.for_s
                self.cluster.know_again()
            yield event.every_s

    def _do(self, event: Event) -> None:
        root = self.cluster.jobs.get(self.scenario.root.id)
        match event.do:
            case "controller-down" | "controller-ill" | "controller-busy" | "controller-hangs":
                self._troubles += 1
                self._feel(event.do.removeprefix("controller-"))
            case "jobs-forgotten":
                self.cluster.forget_jobs()
            case "logs-forgotten":
                self.cluster.logs.forget()
            case "stop-root":
                self.cluster.stop(self.scenario.root.id)
            case "kill-parent" if root is not None:
                self.cluster.fail(root.tasks[0], event.exit, event.error)
            case _:
                self._do_to_child(event)

    def _do_to_child(self, event: Event) -> None:
        """Coordinators are children of the root, workers grandchildren; the newest running one is meant."""
        depth = self.scenario.root.id.count("/") + (2 if "worker" in event.do else 1)
        below = self.cluster.subtree(self.scenario.root.id)
        running = [job for job in below if job.state is State.RUNNING and job.id.count("/") == depth]
        if not running:
            return
        job = running[0]
        match event.do:
            case "stop-coordinator":
                self.cluster.stop(job.id)
            case "kill-coordinator":
                self.cluster.fail(job.tasks[0], event.exit, event.error)
            case "kill-worker":
                self.cluster.fail(job.tasks[event.worker % len(job.tasks)], event.exit, event.error)
            case "lose-worker":
                self.cluster.lose(job.tasks[event.worker % len(job.tasks)], event.for_s or RETRY_PAUSE_S)


def _is_of(known: KnownProgram, request: Mapping[str, Any]) -> bool:
    given = request.get("environment", {}).get("envVars", {})
    has_variables = all(
        bool(given.get(name)) if value == "*" else given.get(name, "") == value
        for name, value in known.env.items()
    )
    return has_variables and known.command in " ".join(_argv(request))


def _argv(request: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(request.get("entrypoint", {}).get("runCommand", {}).get("argv", ()))
