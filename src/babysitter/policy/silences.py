"""What is not told, or not told now: silences and quiet hours."""

from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo

from babysitter.model.finding import Cause, Severity
from babysitter.model.ids import JobId
from babysitter.model.policy import Policy, QuietHours, Silence


def silence_for(job: JobId, cause: Cause, policy: Policy, *, now: datetime) -> Silence | None:
    """The first silence that covers this job and cause now."""
    return next(
        (
            silence
            for silence in policy.silences
            if fnmatchcase(job, silence.jobs)
            and (not silence.causes or cause in silence.causes)
            and (silence.until is None or now < silence.until)
        ),
        None,
    )


def hold_until(severity: Severity, policy: Policy, *, now: datetime) -> datetime | None:
    """When a message of this severity may be told; None = now. Fatal ones never wait."""
    if policy.quiet_hours is None or severity is Severity.FATAL:
        return None
    return end_of_quiet(policy.quiet_hours, now=now)


def end_of_quiet(hours: QuietHours, *, now: datetime) -> datetime | None:
    """The end of the quiet hours that `now` lies in, UTC; None outside of them."""
    local = now.astimezone(ZoneInfo(hours.timezone))
    for day in (local.date() - timedelta(days=1), local.date()):
        begins = datetime.combine(day, hours.begins, local.tzinfo)
        last_day = day if hours.ends > hours.begins else day + timedelta(days=1)
        ends = datetime.combine(last_day, hours.ends, local.tzinfo)
        if begins <= local < ends:
            return ends.astimezone(now.tzinfo)
    return None
