"""Full ids of jobs on Iris, as people write them: /user/name, and deeper ones."""

from babysitter.errors import UserError
from babysitter.model.ids import JobId

MAX_JOB_PATH_CHARS = 500


def parse_job_path(text: str) -> JobId:
    """A full job id as a person writes it. Raises UserError for anything that is none."""
    text = text.strip()
    segments = text.split("/")
    is_path = len(segments) >= 3 and not segments[0] and all(segments[1:])
    if not is_path or not text.isprintable() or len(text) > MAX_JOB_PATH_CHARS:
        odd = "" if text.isprintable() else ": it holds characters that cannot be shown"
        raise UserError(
            f"'{text[:80]}' is not a full job id{odd}.",
            next_step="Write /user/name, as `iris job list` shows it.",
        )
    return JobId(text)
