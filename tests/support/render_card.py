"""Draws docs/card.png from the real blocks: `python -m tests.support.render_card` (needs a Chromium)."""

import asyncio
import shutil
import subprocess
import tempfile
from pathlib import Path

from babysitter.messages.compose import MessageSubject, buttons_for, compose_message
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.ids import Digest, IncidentId, JobId, MessageId, ProposalId, WatchId
from babysitter.model.incident import Incident, IncidentKey, IncidentStatus
from babysitter.model.job import JobState
from babysitter.model.message import Message, MessageKind
from babysitter.model.phase import Phase
from babysitter.model.proposal import CostOfWaiting, Proposal, ProposalFacts
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.model.verdict import Diagnosis
from babysitter.sim.slack import SlackServer
from babysitter.sim.slack.page import card
from babysitter.slack.posting import SlackNotifier, open_client
from tests.support import build

TARGET = Path(__file__).parents[2] / "docs" / "card.png"
JOB = JobId("/ada/fuzzy-dedup")
COORDINATOR = JobId(f"{JOB}/zephyr-fuzzy-dedup-3fa91c02-p1-a0")
ARGV = ("iris", "--cluster", "marin", "job", "run", "--no-wait", "--memory", "8GB", "--job-name",
        "fuzzy-dedup-r1", "--", "python", "dedup.py", "--shards", "4096")  # fmt: skip

PROGRESS = "[stage1-Reduce] 14/18 complete, 4 in-flight, 0 queued, 16/16 workers alive, 0 dead"
FRAME = "MainThread: _shutdown (threading.py:1590)"


def subject() -> MessageSubject:
    """A zombie coordinator at 14 of 18 shards, three quarters of an hour after it stopped working."""
    diagnosis = Diagnosis(
        Cause.ZOMBIE_COORDINATOR,
        Severity.FATAL,
        ActionKind.RESTART,
        "The coordinator has finished its shutdown, but its job still runs and hands out no more shards: "
        "two thread dumps 24 s apart show its main thread in _shutdown, and no stage is waited for.",
        confidence=0.97,
        evidence=(
            Evidence("Coordinator shutdown complete", f"{COORDINATOR}/0", 8812, build.at(-2_700)),
            Evidence(PROGRESS, f"{COORDINATOR}/0", 8807, build.at(-2_760)),
            Evidence(FRAME, f"dump of {COORDINATOR}/0", None, build.at(-40)),
            Evidence(FRAME, f"dump of {COORDINATOR}/0", None, build.at(-16)),
        ),
        cascade=(Evidence("Connection to coordinator lost", f"{JOB}/workers/3", 91, build.at(-2_600)),),
    )
    incident = IncidentId("i-4c7d01")
    return MessageSubject(
        watch=build.watch(Phase.FAILING, root=JOB, first_root=JOB),
        now=build.NOON,
        verdict=build.verdict(diagnosis),
        incident=Incident(
            incident,
            IncidentKey(WatchId("w-1"), diagnosis.cause, COORDINATOR),
            IncidentStatus.PROPOSED,
            diagnosis,
            build.at(-60),
            build.NOON,
        ),
        proposal=Proposal(
            id=ProposalId("p-4c7d01-1"),
            incident=incident,
            watch=WatchId("w-1"),
            cluster="marin",
            job=JOB,
            successor=JobId(f"{JOB}-r1"),
            action=ActionKind.RESTART,
            submission=Submission(ARGV, SubmissionOrigin.RESUBMIT_FLAG),
            facts=ProposalFacts(JOB, JobState.RUNNING, COORDINATOR, diagnosis.cause, ARGV),
            digest=Digest("d"),
            created_at=build.NOON,
            expires_at=build.at(43_200),
            price=CostOfWaiting(idle_workers=16, since_at=build.at(-2_700)),
            restarts_left=3,
        ),
    )


async def draw() -> str:
    """The card as a page, after a round through the real client and the simulated workspace."""
    about = subject()
    async with SlackServer(now=build.NOON.timestamp) as slack:
        notifier = SlackNotifier(open_client(slack.bot_token, base_url=slack.base_url), "C0JOBS")
        message = Message(
            MessageId("m-1"),
            about.watch.id,
            MessageKind.INCIDENT,
            compose_message(MessageKind.INCIDENT, about),
            about.now,
            buttons=buttons_for(MessageKind.INCIDENT, about),
        )
        await notifier.post(message, thread=None, is_repeat=False)
        return card(slack.messages[0])


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("No Chromium found; install one to draw the card.")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "card.html"
        page.write_text(asyncio.run(draw()), encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += ["--force-device-scale-factor=2", "--window-size=780,700", f"--screenshot={TARGET}"]
        subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True, timeout=60)


if __name__ == "__main__":
    main()
