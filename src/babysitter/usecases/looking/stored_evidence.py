"""What the store keeps of a watch, put together for a second look."""

from collections.abc import Sequence

from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.rule_fields import Fields, fields_of_tree
from babysitter.diagnosis.frame.structured_lines import unwrap_text
from babysitter.diagnosis.pipeline import last_line_age_s, measures_of
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import role_of
from babysitter.engine.app import App
from babysitter.errors import UserError
from babysitter.model.ids import IncidentId, TaskId, job_of
from babysitter.model.job import JobState
from babysitter.model.log import LogLine, Role
from babysitter.model.observation import Observation
from babysitter.model.seen import Seen
from babysitter.model.watch import Watch
from babysitter.redact import redact
from babysitter.usecases.watching.manage_watches import find_watch

MAX_LINES = 20_000  # the newest ones


def stored_lines(observations: Sequence[Observation]) -> tuple[LogLine, ...]:
    """The log lines of these observations, oldest first, each once."""
    lines: list[LogLine] = []
    for observation in observations:
        if observation.is_reread:
            lines.clear()  # this one holds again what was read before
        lines += observation.seen_lines
    return tuple(lines[-MAX_LINES:])


def stored_line_buffer(watch: Watch, observations: Sequence[Observation]) -> LineBuffer:
    """Lines and facts of what is kept, as rules read them."""
    lines = stored_lines(observations)
    newest = next(
        (observation for observation in reversed(observations) if observation.seen_tree is not None), None
    )

    def its_role(task: TaskId) -> Role | None:
        return watch.memory.roles.get(task) or role_of(job_of(task), watch.root)

    text = "\n".join(unwrap_text(line.text).replace("\n", " ") for line in lines)
    fields = Fields()
    if newest is not None and newest.seen_tree is not None:
        seen = ((task, sight) for task, sight in newest.dumps.items() if isinstance(sight, Seen))
        dumps = tuple((sight.value, its_role(task)) for task, sight in seen)
        fields = fields_of_tree(
            newest.seen_tree,
            dumps=dumps,
            measures=measures_of(watch.memory),
            last_log_age_s=last_line_age_s(watch.memory, newest),
        )
    return LineBuffer(text.encode("utf-8", "replace"), fields, entries=lines, role_of_task=its_role)


async def incident_log(app: App, name: str, otherwise: JobState) -> tuple[list[str], JobState]:
    """The redacted lines that were read until an incident was last seen, and the job's state then.

    `name`: the incident's id, or that of a job or watch, whose newest incident is meant. `otherwise`: the
    state where it was never seen. Raises UserError when there is no such incident, or nothing kept of it.
    """
    async with app.store.reading() as tx:
        found = await tx.incidents.incident(IncidentId(name))
        if found is None and name.startswith("i-"):
            raise UserError(
                f"No incident has the id '{name}'.", next_step="`babysit incidents` lists what is remembered."
            )
        if found is None:
            watch = await find_watch(app, name)
            found = next(iter(reversed(await tx.incidents.incidents_of([watch.id]))), None)
        if found is None:
            raise UserError(
                f"{name} has had no incident.", next_step="Give a log as a text file, or another job."
            )
        observations = await tx.observations.of(found.key.watch)
    then = [observation for observation in observations if observation.taken_at <= found.updated_at]
    lines = stored_lines(then)
    if not lines:
        raise UserError(
            f"No log lines are kept of incident {found.id} any more.",
            next_step="Give its log as a file; `babysit record JOB` saves one.",
        )
    trees = [tree for observation in then if (tree := observation.seen_tree) is not None]
    return [redact(line.text) for line in lines], trees[-1].root.state if trees else otherwise
