"""How a watched job is, in one line: its phase and what the job does, each with its label."""

from rich.text import Text

from babysitter.surfaces.views import OutlookView, StageProgress, WatchView

PHASE_STYLE = {
    "pending": "cyan",
    "smoke": "yellow",
    "steady": "green",
    "suspect": "yellow",
    "failing": "bold red",
    "acting": "magenta",
    "finished": "dim",
}


def phase_line(watch: WatchView) -> Text:
    """`phase: failing, job: running`, or `progress:` with the stage that is under way."""
    doing = progress_words(watch.outlook)
    label = "job" if watch.outlook and doing == watch.outlook.job_state else "progress"
    named = f", {label}: {doing}" if doing else ""
    return Text.assemble("phase: ", phase_text(watch), named)


def phase_text(watch: WatchView) -> Text:
    style = PHASE_STYLE.get(watch.phase, "")
    text = Text(watch.phase, style=style)
    if watch.is_blind:
        text.append(" (blind)", style="yellow")
    if watch.is_gone:
        text.append(" (not known to the cluster)", style="yellow")
    if watch.stopped_at:
        text.append(" (not watched any more)", style="dim")
    return text


def progress_words(outlook: OutlookView | None) -> str:
    current = next((stage for stage in outlook.stages if stage.is_current), None) if outlook else None
    if current is not None:
        return f"{current.label} {reached(current)}"
    if outlook is not None and outlook.startup and outlook.job_state == "running":
        parts = outlook.startup.split(", ")  # phase, what it does, how far; the rest is on the job's own page
        return ", ".join(parts[: 3 if "%" in "".join(parts[2:3]) else 2])
    return (outlook.job_state or "") if outlook else ""


def reached(stage: StageProgress) -> str:
    """How far a stage is; a run may not tell how much there is in all."""
    return f"{stage.done}/{stage.total}" if stage.total else f"{stage.done}"
