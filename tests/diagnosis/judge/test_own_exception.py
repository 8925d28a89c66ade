"""The job's own exception stands in the first sentence about an end."""

import pytest

from babysitter.diagnosis.judge.own_exception import find_own_exception
from babysitter.messages.diagnosis_words import sentence_of
from babysitter.model.finding import Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_text import examine
from tests.support.jobs import raw
from tests.support.recordings import rules

HEAD = "Traceback (most recent call last):"
OWN = (
    '  File "/app/run.py", line 23, in load',
    "    raise BadHeader(path)",
    "BadHeader: magic 0x0 in a.arrow",
)
SENT = ('  File "<dynamic-code>", line 23, in load', "BadHeader: magic 0x0 in a.arrow")
WRAPPER = (
    '  File "/app/run.py", line 3, in <module>',
    '  File "/v/site-packages/zephyr/execution.py", line 1893, in execute',
    "zephyr.execution.ZephyrWorkerError: Shard 4 failed 3 times (max 3), last failure on worker w-1.",
    "Last error:",
)
LIBRARY = ('  File "/v/site-packages/requests/api.py", line 9, in get', "requests.ConnectionError: refused")
WORK = tuple(f"processed document {n} of 90 in this shard" for n in range(12))  # the first may be its message


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ((HEAD, *OWN), "BadHeader"),
        ((HEAD, *SENT), "BadHeader"),
        ((HEAD, *WRAPPER, HEAD, *SENT), "BadHeader"),
        ((HEAD, *OWN, *WORK), None),  # the program caught it
        ((HEAD, *OWN, *WORK, HEAD, *LIBRARY), None),  # it ended in the code of others
        ((HEAD, *LIBRARY), None),
        (WORK, None),
    ],
)
def test_own_exception_of_a_log(lines, name):
    found = find_own_exception([raw(n, text) for n, text in enumerate(lines)])
    assert (found and found.name) == name


def test_own_exception_is_in_the_first_sentence():
    text = "\n".join(("starting", HEAD, *WRAPPER, HEAD, *SENT))
    found = examine(text, rules(), JobFacts(state=JobState.FAILED, exit_code=1)).diagnosis
    assert found.cause in (Cause.CODE_ERROR, Cause.DATA_ERROR)
    assert "(BadHeader: magic 0x0 in a.arrow)." in sentence_of(found)
    assert found.evidence[0].text == "BadHeader: magic 0x0 in a.arrow"
