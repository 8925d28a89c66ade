"""Names of jobs on Ray: a submission id as `ray job list` shows it, or the hexadecimal job id of a driver."""

from babysitter.errors import UserError
from babysitter.model.ids import JobId

MAX_SUBMISSION_ID_CHARS = 200


def parse_submission_id(text: str) -> JobId:
    """A submission id or job id as a person writes it. Raises UserError for text that Ray cannot use as one.

    People choose their ids; Ray answers an error for ids with a slash or a blank.
    """
    text = text.strip()
    is_usable = text.isprintable() and "/" not in text and not any(map(str.isspace, text))
    if not text or not is_usable or len(text) > MAX_SUBMISSION_ID_CHARS:
        raise UserError(
            f"{text[:80]!r} is not an id of a Ray job.",
            next_step="Write the submission id or the job id, as `ray job list` shows it.",
        )
    return JobId(text)
