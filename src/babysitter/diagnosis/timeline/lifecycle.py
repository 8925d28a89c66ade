"""Lines that mark a point or a known quiet phase of a run: a checkpoint, compilation, weights, the end."""

import re
from enum import StrEnum

from babysitter.diagnosis.frame.line import strip_headers

MAX_CHARACTERS = 2000  # a milestone is short; what is longer is data


class Milestone(StrEnum):
    """What a line marks, rather than a step."""

    STEP_SKIPPED = "step-skipped"  # the loss scaler's normal search for a scale
    CHECKPOINT_SAVED = "checkpoint-saved"
    CHECKPOINT_STARTED = "checkpoint-started"
    RESUMED = "resumed"
    COMPILING = "compiling"
    COMPILED = "compiled"
    LOADING_WEIGHTS = "loading-weights"
    ALLOCATING_CACHE = "allocating-cache"
    CAPTURING_GRAPHS = "capturing-graphs"
    SERVING = "serving"
    FINISHED = "finished"


def read_milestone(text: str) -> Milestone | None:
    """The milestone that this line marks, or None. Words in the middle of a sentence mark nothing."""
    if len(text) > MAX_CHARACTERS or not _HINT.search(text):
        return None
    line = strip_headers(text)
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.match(line)), None)


# Each phrase begins the message; case is ignored. Order matters: the first that fits wins.
_PHRASES = {
    Milestone.STEP_SKIPPED: (
        r"(?:\[deepspeed\]\s*)?overflow! rank \d+ skipping step",
        r"gradient overflow\b.*skipp",
        r".{0,40}overflow detected, ignoring gradient, setting loss scale",
    ),
    Milestone.CHECKPOINT_SAVED: (
        r"saved (?:an? )?(?:final |temporary |model )?checkpoint\b",
        r"successfully saved checkpoint",
        r"committed checkpoint to tensorstore",
        r"checkpoint saved\b",
        r"model weights saved in ",
        r"finished (?:async )?saving checkpoint",
        r"finished saving hf-compatible checkpoint",
        r".{0,60}\bfinalized checkpoint\b",
    ),
    Milestone.CHECKPOINT_STARTED: (
        r"saving (?:a |temporary |final |model |hf-compatible |the )?checkpoint\b",
        r"async(?:hronous)? checkpoint(?:ing)? started",
    ),
    Milestone.RESUMED: (
        r"resum(?:ing|ed) (?:training )?from",
        r"loading checkpoint from",
        r"restor(?:ing|ed) (?:from )?checkpoint",
        r"successfully loaded checkpoint",
        r"continuing training from (?:checkpoint|global step)",
    ),
    Milestone.COMPILED: (
        r"finished xla compilation",
        r"finished jaxpr to mlir",
        r"compiled? .{0,60} in \d",
        r"compiling a graph .{0,60} takes",
        r"torch\.compile takes",
    ),
    Milestone.COMPILING: (
        r"compiling (?!.*(?:failed|error))",
        r"finished tracing",
        r"(?:lowering|tracing) \w+",
        r"\[compiling module .{0,80}very slow compile",
        r"very slow compile",
        r"dynamo bytecode transform",
    ),
    Milestone.LOADING_WEIGHTS: (
        r"load weight begin",
        r"loading (?:safetensors |pt )?checkpoint shards",
        r"multi-thread loading shards",
        r"loading weights took",
        r"(?:loading model weights|starting to load model)",
    ),
    Milestone.ALLOCATING_CACHE: (
        r"(?:kv cache is allocated|memory pool end|load weight end)",
        r"(?:gpu kv cache size|# gpu blocks|allocating kv cache)",
    ),
    Milestone.CAPTURING_GRAPHS: (
        r"capture (?:\w+ )?cuda graph begin",
        r"capturing (?:cuda graphs?|batches|num tokens)",
        r"graph capturing",
    ),
    Milestone.SERVING: (
        r"decode batch\b.*gen throughput",
        r"prefill batch\b",
        r"(?:engine \d+: )?avg prompt throughput",
        r"the server is fired up",
        r"application startup complete",
    ),
    Milestone.FINISHED: (
        r"training (?:is )?(?:finished|completed?|done)\b",
        r"\{'train_runtime'",
        r"max steps reached",
        r"`?trainer\.fit`? stopped: `?max_(?:steps|epochs)",
    ),
}
_PATTERNS = {kind: re.compile("|".join(phrases), re.IGNORECASE) for kind, phrases in _PHRASES.items()}
_HINT = re.compile(
    r"(?i)overflow|checkpoint|weight|resum|restor|compil|trac|lower|dynamo|shards|cache|pool|gpu blocks"
    r"|graph|captur|batch|throughput|fired up|startup|training|train_runtime|steps|trainer"
)
