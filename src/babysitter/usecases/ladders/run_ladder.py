"""Run a ladder file from its beginning, or go on with the run that was cut off or that stopped."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.engine.app import App
from babysitter.engine.ladder import (
    LadderEnd,
    LadderProgress,
    LadderRunner,
    OnProgress,
    StepPlace,
)
from babysitter.errors import FactsChanged, UserError
from babysitter.launch.ladder_files.ladder_file import read_ladder, shipped_ladders
from babysitter.launch.ladder_files.ladder_moves import Begin, Complete, next_move
from babysitter.launch.ladder_files.ladder_steps import CLUSTER, LOCAL, Ladder, LadderStep
from babysitter.model.ids import Person
from babysitter.model.ladder_run import AttemptState, LadderRun, StepAttempt
from babysitter.private_files import make_private_folder, open_private
from babysitter.process_lock import try_lock
from babysitter.usecases.ladders.cluster_steps import ClusterSteps
from babysitter.usecases.ladders.local_steps import LocalSteps
from babysitter.usecases.submitting.submit_job import LocalContext


@dataclass(frozen=True, slots=True)
class LadderRequest:
    """What a person asks for. `values`: of --set. `variables`: of -e, for the step that runs next.

    `cluster` None: only steps of this machine can run. `from_start`: a new run, whatever came of the
    last one.
    """

    file: Path
    by: Person
    cluster: ClusterSpec | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    variables: Sequence[tuple[str, str]] = ()
    from_start: bool = False


async def run_ladder(
    app: App, request: LadderRequest, machine: LocalContext, on_progress: OnProgress
) -> tuple[LadderEnd, LadderProgress]:
    """Run the ladder until all steps have passed, or one has not. Safe to call again at any point.

    Raises BadLadder for the file, UserError for a step that cannot be prepared, FactsChanged while another
    process runs it, ExternalError where the cluster cannot be seen.
    """
    named = read_ladder(request.file, is_checked=True)
    with _lock(app.state_folder, named.name):
        run, ladder = await _opened_run(app, request)
        attempts = await _attempts(app, run)
        run = await _with_variables(app, run, ladder, attempts, request.variables)
        steps = _steps(ladder, run)
        places = _places(app, request, machine, steps)
        runner = LadderRunner(run, steps, places, app.store, app.clock, on_progress)
        end = await runner.climb()
        return end, await ladder_progress(app, ladder.name)


async def prepared_ladder(app: App, request: LadderRequest) -> tuple[LadderRun | None, Ladder]:
    """The run to go on with, None where a new one begins, and the ladder as its values make it.

    Writes nothing. Raises BadLadder for the file or a value that is missing, UserError where a step of the
    earlier run is under way and a new one is asked for.
    """
    name = read_ladder(request.file, is_checked=True).name
    async with app.store.reading() as tx:
        earlier = await tx.ladders.newest(name)
        attempts = await tx.ladders.attempts(earlier.id) if earlier else ()
    opened = next((attempt for attempt in attempts if attempt.state is not AttemptState.ENDED), None)
    if earlier is not None and request.from_start and opened is not None:
        raise UserError(
            f"{opened.job} of the step {opened.step} is under way.",
            next_step="Run the ladder without --from-start: it goes on there.",
        )
    if earlier is None or earlier.ended_at is not None or request.from_start:
        return None, read_ladder(request.file, request.values)
    return earlier, read_ladder(request.file, {**dict(earlier.values), **request.values})


def check_ladder(file: Path) -> Ladder:
    """The ladder of a file, values still to be given left out. Raises BadLadder with every fault."""
    return read_ladder(file, is_checked=True)


def needs_cluster(file: Path) -> bool:
    """Whether a step of this file runs on a cluster. Raises BadLadder."""
    return any(step.place == CLUSTER for step in check_ladder(file).steps)


def copy_ladder(name: str, target: Path) -> None:
    """Write a shipped ladder to a new file. Raises UserError."""
    known = shipped_ladders()
    if name not in known:
        raise UserError(f"There is no shipped ladder '{name}'.", next_step=f"There are: {', '.join(known)}.")
    try:
        with target.open("x", encoding="utf-8") as stream:
            stream.write(known[name].read_text(encoding="utf-8"))
    except FileExistsError as fault:
        raise UserError(f"{target} exists.", next_step="Name another file with -o.") from fault
    except OSError as fault:
        raise UserError(
            f"{target} cannot be written: {(fault.strerror or str(fault)).lower()}.",
            next_step="Name another file with -o.",
        ) from fault


async def ladder_progress(app: App, name: str) -> LadderProgress:
    """How the newest run of this ladder stands. Raises UserError if it never ran."""
    async with app.store.reading() as tx:
        run = await tx.ladders.newest(name)
        if run is None:
            known = ", ".join(sorted({ladder.ladder for ladder in await tx.ladders.all()})) or "none"
            raise UserError(
                f"No ladder named '{name}' has run here (known: {known}).",
                next_step="`babysit ladder run FILE` runs one.",
            )
        return LadderProgress(run, tuple(await tx.ladders.attempts(run.id)))


async def ladder_runs(app: App) -> Sequence[LadderProgress]:
    """The newest run of every ladder, the newest last."""
    async with app.store.reading() as tx:
        newest = {run.ladder: run for run in await tx.ladders.all()}
        return [LadderProgress(run, tuple(await tx.ladders.attempts(run.id))) for run in newest.values()]


async def _opened_run(app: App, request: LadderRequest) -> tuple[LadderRun, Ladder]:
    """The run to go on with, or a new one; with the ladder as its values make it."""
    earlier, ladder = await prepared_ladder(app, request)
    if earlier is None:
        return await _new_run(app, request, ladder), ladder
    values = {**dict(earlier.values), **request.values}
    run = replace(earlier, file=str(request.file), values=tuple(values.items()), about=ladder.about)
    run = replace(run, steps=tuple(step.name for step in ladder.steps))
    async with app.store.transaction() as tx:
        await tx.ladders.save(run)
    return run, ladder


async def _new_run(app: App, request: LadderRequest, ladder: Ladder) -> LadderRun:
    run = LadderRun(
        id=secrets.token_hex(2),
        ladder=ladder.name,
        file=str(request.file),
        begun_at=app.clock.now(),
        about=ladder.about,
        steps=tuple(step.name for step in ladder.steps),
        values=tuple(request.values.items()),
    )
    async with app.store.transaction() as tx:
        await tx.ladders.begin(run)
    return run


async def _with_variables(
    app: App,
    run: LadderRun,
    ladder: Ladder,
    attempts: Sequence[StepAttempt],
    variables: Sequence[tuple[str, str]],
) -> LadderRun:
    """The run with these variables for the step that begins next, and for every later attempt at it."""
    if not variables:
        return run
    move = next_move(_steps(ladder, run), attempts, asked_after=attempts[-1].number if attempts else 0)
    if isinstance(move, Complete) or not isinstance(move, Begin):
        raise UserError(
            "-e changes the step that begins next, and a step is under way.",
            next_step="Run the ladder without -e first, or stop its job.",
        )
    step = move.step.name
    others = tuple(
        variable
        for variable in run.variables
        if (variable[0], variable[1]) not in {(step, name) for name, _ in variables}
    )
    changed = replace(run, variables=(*others, *((step, name, value) for name, value in variables)))
    async with app.store.transaction() as tx:
        await tx.ladders.save(changed)
    return changed


def _steps(ladder: Ladder, run: LadderRun) -> Sequence[LadderStep]:
    return [
        step.with_variables({name: value for own, name, value in run.variables if own == step.name})
        for step in ladder.steps
    ]


def _places(
    app: App, request: LadderRequest, machine: LocalContext, steps: Sequence[LadderStep]
) -> Mapping[str, StepPlace]:
    """What runs the steps of each place. A further kind of place is a row here."""
    places: dict[str, StepPlace] = {LOCAL: LocalSteps(app, machine)}
    if request.cluster is not None:
        places[CLUSTER] = ClusterSteps(app, request.cluster, machine, request.by)
    if missing := next((step for step in steps if step.place not in places), None):
        raise UserError(
            f"The step {missing.name} runs on a cluster, and none is named.",
            next_step="Give --cluster NAME, --controller-url URL or --config FILE.",
        )
    return places


async def _attempts(app: App, run: LadderRun) -> Sequence[StepAttempt]:
    async with app.store.reading() as tx:
        return await tx.ladders.attempts(run.id)


@contextmanager
def _lock(folder: Path, name: str) -> Iterator[None]:
    """Nobody else of this machine runs the ladder meanwhile; the system ends the lock with the process."""
    make_private_folder(folder)
    with open_private(folder / f"ladder-{name}.lock", "a") as lock:
        if not try_lock(lock):
            raise FactsChanged(
                f"Another process is running the ladder {name}.",
                next_step=f"`babysit ladder status {name}` shows how far it is.",
            )
        yield
