"""Text that a job works on, printed without marks, is told from what a job reports."""

import pytest

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.stance.printed_text import find_printed_text
from babysitter.diagnosis.stance.stance import stance_of
from babysitter.diagnosis.stance.vocabulary import Stance

PHRASES = (
    "out of memory",
    "the connection was refused",
    "disk quota exceeded",
    "worker killed by signal 9",
    "HTTP 503 service unavailable",
)
FORMS = (
    "2026-02-03 04:05:06 INFO page 812 (forum.example): {}",
    "2026-02-03 04:05:06 INFO  kept 71 chars of article 12: {}",
    "I20260203 04:05:06 9 app.preview paragraph #3 -> {}",
    "INFO:corpus:abstract of 2301.001: {}",
    '{{"messages": [{{"role": "user", "content": "{}"}}], "id": 9}}',
    "Example(id=12, question='{}', answer='none')",
    '["{}", "all good", "thanks"]',
    "INFO batch 12 preview: ['{}', '...']",
    "12|{}|en|0.93",
    "doc_id\t12\ttext\t{}",
    "en: {} -> de: alles gut",
    "source: {}",
    "target: {}",
    "hypothesis: {}",
    "gold: {} | pred: fine",
    "epoch 2 sample output: {}",
    ">>> {}",
    "Human: my log says {}",
    "[user] {}",
    "turn 3 (assistant): {}",
    "INFO transcript 00:12 {}",
    "INFO lyrics line 12: {}",
    "INFO nearest neighbour of 12: {} (0.93)",
    'INFO term="{}" df=12 idf=3.1',
    'token 812 = " {}" freq 12',
    "INFO review 12 (1 star): {}",
    "INFO tweet 812 by bob: {}",
    "INFO ticket 12: {} [closed]",
    "INFO email subject: {}",
    'diff: -    print("{}")',
    "INFO solution 12 printed: {}",
    "INFO unit test 3 of problem 12: {}, reward 0",
    "INFO generated text (temp 0.7): {}",
    "headline {}",
    "search results for {}: 12 documents",
    "INFO wrote 12 rows, last: {}",
    "INFO cluster 12 centroid: {}",
    "INFO keyword {} occurs 12 times",
)
REPORTS = (
    "I20260203 04:05:06 9 app.worker write: {}",
    "INFO loader read failed: {}",
    "WARNING document 12: {}",
    "E20260203 04:05:06 9 loader sample 12: {}",
    "failed to write document 12: {}",
    "INFO could not open row group 3: {}",
    "INFO worker-3 ended: {}",
    "INFO host node-7: {}",
    "reward server: {}",
    "INFO task 3 stopped because {}",
    "INFO gs://bucket/part-7: {}",
    "{}",
    "INFO {}",
    "INFO connecting to the hub: {}",
    "error in sample 7: {}",
    "INFO caught while reading page 7: {}",
    "INFO step 12: {}",
    "sandbox pool: {}",
    "cluster 12: {}",
    "thread main panicked: {}",
    "INFO shard 812: {}",
)


def stance_of_phrase(form: str, phrase: str, *, job_lives: bool = True) -> Stance:
    frame = read_frame(form.format(phrase))
    return stance_of(frame, lambda text: phrase in text, job_lives=job_lives)


@pytest.mark.parametrize("form", FORMS)
def test_printed_text_is_quoted(form):
    stances = [stance_of_phrase(form, phrase) for phrase in PHRASES]
    assert stances == [Stance.QUOTED] * len(PHRASES)


@pytest.mark.parametrize("form", REPORTS)
def test_printed_text_leaves_reports(form):
    stances = [stance_of_phrase(form, phrase) for phrase in PHRASES]
    assert stances == [Stance.REPORTED] * len(PHRASES)


def test_printed_text_of_a_failed_job_counts():
    assert stance_of_phrase("hypothesis: {}", "out of memory") is Stance.QUOTED
    assert stance_of_phrase("hypothesis: {}", "out of memory", job_lives=False) is Stance.REPORTED


def test_exception_outside_of_quotes_is_no_printed_text():
    assert find_printed_text(read_frame("sample 7: KeyError: 'text'")) is None
    assert find_printed_text(read_frame("INFO sample 7 failed: KeyError: 'text'")) is None
    assert find_printed_text(read_frame("INFO KeyError: 'text'")) is None


def test_exception_behind_the_name_of_a_text_is_printed():
    assert find_printed_text(read_frame("INFO sample 7: KeyError: 'text'")) == (10, 26)
    assert find_printed_text(read_frame("INFO topic 7 (n=120): OSError: no space left")) is not None
    assert find_printed_text(read_frame("INFO sample 7: a key is missing")) is not None
