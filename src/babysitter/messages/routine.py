"""What needs nobody, in words: a line about a followed job, and the digest of a day's lines. Pure."""

from collections.abc import Sequence
from datetime import date

from babysitter.messages.ending import compose_end, how_it_ended
from babysitter.messages.formatting import count
from babysitter.messages.subject import MessageSubject, capital, ended, escape
from babysitter.model.finding import Severity
from babysitter.model.follow import Follow
from babysitter.model.ids import JobId
from babysitter.model.message import MessageContent
from babysitter.model.phase import Phase

SHOWN_LINES = 30
MAX_LINE_CHARS = 160


def compose_routine(about: MessageSubject) -> MessageContent:
    """One line about a followed job: that it ended, or what it waits for."""
    phase = about.verdict.phase if about.verdict else about.watch.phase
    if phase is Phase.FINISHED:
        end = compose_end(about)
        return MessageContent(
            title=f"{how_it_ended(about)}: {about.job}", sentence=end.sentence, severity=end.severity
        )
    return MessageContent(
        title=f"Waiting: {about.job}",
        sentence=ended(capital(escape(about.because))) or "It needs nobody.",
        severity=Severity.INFO.value,
    )


def beyond_limit(follow: Follow, jobs: Sequence[JobId]) -> MessageContent:
    """That a follow has come to its limit, so that somebody can raise it."""
    them = "is" if len(jobs) == 1 else "are"
    return MessageContent(
        title=f"Not watched: {count(len(jobs), 'job')} of {escape(follow.pattern)}",
        sentence=f"{escape(jobs[0])}{' and others' if jobs[1:] else ''} {them} not watched while "
        f"{follow.limit} others are. Raise the limit of the follow, or narrow its pattern.",
        severity=Severity.INFO.value,
    )


def compose_day(day: date, lines: Sequence[tuple[str, MessageContent]]) -> MessageContent:
    """Everything that needed nobody on a day; of very many lines the newest. `lines`: time and words."""
    shown = lines[-SHOWN_LINES:]
    hidden = len(lines) - len(shown)
    earlier = [f"{count(hidden, 'earlier line')}: babysit list"] if hidden else []
    return MessageContent(
        title=f"Followed jobs, {day.day} {day:%b}: {count(len(lines), 'line')}",
        sentence="Nothing of this needs you. The list grows until midnight UTC.",
        severity=Severity.BENIGN.value,
        progress=(*earlier, *(_line(at, words) for at, words in shown)),
    )


def _line(at: str, words: MessageContent) -> str:
    text = " ".join(f"{at} {words.title}. {words.sentence}".split())
    return text if len(text) <= MAX_LINE_CHARS else f"{text[: MAX_LINE_CHARS - 1]}…"
