"""Tracebacks as the processes of a pipeline print them: the user's exception, and who passed it on.

A frame is (file, line, function, code). Files below `@` are Marin's own.
"""

from collections.abc import Iterator, Sequence

Frame = tuple[str, int, str, str]

_ROOTS = {"april": "/srv/marin-apr/lib", "may": "/srv/marin-may/lib", "august": "/srv/marin-may/lib"}
_EXECUTION = "@/zephyr/src/zephyr/execution.py"
_RUNNERS = "@/zephyr/src/zephyr/runners.py"
_PLAN = "@/zephyr/src/zephyr/plan.py"
_SCRIPT = "/srv/ws/pipeline.py"
_WRITE = "return TaskResult(shard=_write_pickle_chunks(stage_gen, source_shard, chunk_path_fn))"
_POLL = "result, task_counters = self._execute_shard(task, config)"
_SUBMIT = "results = coordinator.run_pipeline.submit(config.plan, config.execution_id).result()"
_RERAISE = "raise cloudpickle.loads(op.error.serialized_exception)"

_SHARD: dict[str, Sequence[Frame]] = {
    "april": (
        (
            "@/zephyr/src/zephyr/subprocess_worker.py",
            170,
            "execute_shard",
            "result_or_error = _write_stage_output(",
        ),
        (_EXECUTION, 275, "_write_stage_output", _WRITE),
        (_EXECUTION, 200, "_write_pickle_chunks", "for item in items:"),
        (_PLAN, 844, "run_stage", "yield from stream"),
        (_PLAN, 166, "_map_gen", "yield fn(item)"),
    ),
    "may": (
        (
            _RUNNERS,
            398,
            "_execute_shard_subprocess",
            "result_or_error = _run_stage_with_ctx(task, chunk_prefix, execution_id, ctx)",
        ),
        (_RUNNERS, 154, "_run_stage_with_ctx", "return _write_stage_output("),
        (_EXECUTION, 298, "_write_stage_output", _WRITE),
        (
            _EXECUTION,
            243,
            "_write_pickle_chunks",
            "for pidx, batch in enumerate(batchify(items, n=INTERMEDIATE_CHUNK_SIZE)):",
        ),
        (
            "@/zephyr/src/zephyr/writers.py",
            164,
            "batchify",
            "while batch := tuple(itertools.islice(iterator, n)):",
        ),
        (_RUNNERS, 125, "wrap", "for item in gen:"),
        (_PLAN, 858, "run_stage", "yield from stream"),
        (_PLAN, 162, "_map_gen", "yield fn(item)"),
    ),
}
_WORKER: dict[str, Sequence[Frame]] = {
    "april": (
        (_EXECUTION, 1172, "_poll_loop", _POLL),
        (_EXECUTION, 1278, "_execute_shard", "raise result_or_error"),
    ),
    "may": (
        (_EXECUTION, 1421, "_poll_loop", _POLL),
        (
            _EXECUTION,
            1472,
            "_execute_shard",
            "result, counters = self._stage_runner.execute(task, chunk_prefix, execution_id)",
        ),
        (_RUNNERS, 317, "execute", "raise result_or_error"),
    ),
}
_COORDINATOR: dict[str, Sequence[Frame]] = {
    "april": (
        (_EXECUTION, 1442, "_run_coordinator_job", _SUBMIT),
        ("@/fray/src/fray/v2/iris_backend.py", 320, "result", _RERAISE),
    ),
    "may": (
        (_EXECUTION, 1639, "_run_coordinator_job", _SUBMIT),
        ("@/fray/src/fray/iris_backend.py", 307, "result", _RERAISE),
    ),
}
_PARENT: dict[str, Sequence[Frame]] = {
    "april": ((_EXECUTION, 1690, "execute", "raise result from None"),),
    "may": ((_EXECUTION, 1893, "execute", "raise result from None"),),
}


def of_shard(error: str, generation: str) -> list[str]:
    """The user's exception in the process that worked on a shard. `error` is the last line."""
    raised, _, message = error.partition(": ")
    user = (_SCRIPT, 33, "parse_record", f"raise {raised}({message})")
    return _traceback([*_of(_SHARD, generation), user], error, generation)


def of_pipeline(head: str, error: str, generation: str, *, with_shard: bool) -> list[str]:
    """What is raised for a shard that failed too often; `with_shard`: the shard's own words follow."""
    lines = [head, "Last error:", *_traceback(_of(_WORKER, generation), error, generation)]
    if with_shard:
        lines += ["--- subprocess traceback ---", *of_shard(error, generation)]
    return [*lines, ""]


def of_coordinator(raised: Sequence[str], workdir: str, generation: str) -> list[str]:
    """Those lines as a coordinator's process ends with them."""
    runner = f"/tmp/iris/cache/workdirs/{workdir}_attempt_0/_callable_runner.py"
    frames = [(runner, 36, "<module>", "fn(*args, **kwargs)"), *_of(_COORDINATOR, generation)]
    return [*_head(frames, generation), *raised]


def of_parent(raised: Sequence[str], generation: str) -> list[str]:
    """Those lines as the user's program ends with them."""
    frames = [(_SCRIPT, 101, "<module>", "main()"), (_SCRIPT, 67, "main", "ctx.execute(pipeline)")]
    return [*_head([*frames, *_of(_PARENT, generation)], generation), *raised]


def _of(table: dict[str, Sequence[Frame]], generation: str) -> Sequence[Frame]:
    """August was only read, and reads like May."""
    return table["april" if generation == "april" else "may"]


def _traceback(frames: Sequence[Frame], error: str, generation: str) -> list[str]:
    return [*_head(frames, generation), error]


def _head(frames: Sequence[Frame], generation: str) -> Iterator[str]:
    yield "Traceback (most recent call last):"
    for file, line, function, code in frames:
        yield f'  File "{file.replace("@", _ROOTS[generation])}", line {line}, in {function}'
        yield f"    {code}"
