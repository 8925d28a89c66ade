"""A plain program that starts child jobs one after another, and waits for each."""

from babysitter.sim.iris.cluster import Ending, Life, Placement
from babysitter.sim.iris.programs import Plain
from babysitter.sim.iris.records import Job, State, Task
from babysitter.sim.iris.scenario import Root
from babysitter.sim.iris.submissions import child_request

POLL_S = 5.0


class Starter(Plain):
    """Prints its lines, then runs its children; fails with the first of them that does."""

    def run(self) -> Life:
        for child in self.root.children:
            job = self._start(child)
            self.say(f"Started child job {job.id}", logger=self.voice.client_logger)
            while not job.state.final:
                yield POLL_S
            if job.state is not State.SUCCEEDED:
                self.write(f"RuntimeError: child job {job.id} ended as {job.state}")
                return Ending(1)
        return (yield from super().run())

    def _start(self, child: Root) -> Job:
        request = child_request(
            f"{self.task.job.id}/{child.name}",
            env=self.root.env,
            generation=self.cluster.generation,
            memory=child.memory,
        )

        def program(task: Task) -> Plain:
            return Plain(self.cluster, task, child)

        return self.cluster.launch(request, program, Placement())
