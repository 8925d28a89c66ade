"""A coding agent with only a shell and a skill: it follows the text, a person decides, the job is well."""

import re
from pathlib import Path

from babysitter.config import Settings
from babysitter.model.ids import ProposalId
from babysitter.model.proposal import Answer, ProposalStatus, Surface
from babysitter.usecases.agent_skills import FILE_NAME, skills_in
from babysitter.usecases.answering.approvals import decide, offered
from babysitter.wiring import open_app
from tests.support.shell import ME, Shell, shell

MAX_COMMANDS = 12


class Agent:
    """Knows what the skill says, a job's id and a cluster's name, and nothing else."""

    def __init__(self, run: Shell) -> None:
        self._run = run
        skill = next(candidate for candidate in skills_in() if candidate.name == "babysit-zephyr")
        text = (skill.folder / FILE_NAME).read_text(encoding="utf-8")
        blocks = re.findall(r"```bash\n(.*?)```", text, flags=re.DOTALL)
        self._known = [line for block in blocks for line in block.splitlines() if line]

    async def do(self, beginning: str, **more: object):
        """Run the command of the skill that begins so."""
        command = next(candidate for candidate in self._known if candidate.startswith(beginning))
        command = command.replace("JOB", self._run.job).replace("CLUSTER", "marin").replace("FOLDER", ".")
        options = "".join(f" --{name} {value}" for name, value in more.items())
        return await self._run(command + options)

    async def wait_for(self, reason: str, beginning: str):
        """Wait as the skill says, with the cursor, until this is why it returned."""
        cursor: dict[str, object] = {}
        while True:
            said = await self.do(beginning, **cursor)
            assert said.code == (6 if said.json["reason"] == "time-limit" else 0), said.err
            if said.json["reason"] == reason:
                return said.json
            cursor = {"cursor": said.json["cursor"]}


async def a_person_approves(run: Shell, proposal: str) -> str:
    settings = Settings(state_dir=run.state)
    async with open_app(settings, clock=run.clock) as app:
        return (await decide(app, ProposalId(proposal), ME, Answer.YES, Surface.TERMINAL)).sentence


async def test_an_agent_follows_the_skill_to_the_end(tmp_path: Path):
    async with shell(tmp_path) as run:
        agent = Agent(run)
        started = await agent.do("babysit start")
        assert started.code == 0, started.err
        stopped = await agent.wait_for("incident", "babysit wait JOB --until incident")
        incident = stopped["watch"]["incidents"][0]
        assert incident["diagnosis"]["cause"] == "zombie-coordinator"
        assert incident["diagnosis"]["evidence"]
        assert incident["proposal"]["job"] == run.job
        assert "Approved" in await a_person_approves(run, incident["proposal"]["id"])
        ended = await agent.wait_for("terminal", "babysit wait JOB --until terminal")
        assert ended["watch"]["outlook"]["job_state"] == "succeeded"
        report = await agent.do("babysit report")
        assert "incident zombie-coordinator" in report.out
        assert f"{ME} answered yes" in report.out
        assert "submitted as /ada/dedup-r1" in report.out
        assert "job succeeded" in report.out
        assert run.sim.launched == ["/ada/dedup-r1"]
        assert len(run.ran) < MAX_COMMANDS
        assert not any("sleep" in text for text in run.ran)


async def test_another_agent_with_only_the_skill_and_the_id_goes_on(tmp_path: Path):
    async with shell(tmp_path) as run:
        assert (await Agent(run).do("babysit start")).code == 0  # and its context is lost
        agent = Agent(run)
        listed = await agent.do("babysit list")
        assert [watch["job"] for watch in listed.json["watches"]] == [run.job]
        stopped = await agent.wait_for("incident", "babysit wait JOB --until incident")
        del agent  # lost once more, with the incident unreported
        status = (await Agent(run).do("babysit status")).json["watches"][0]
        assert status["incidents"][0]["proposal"] == stopped["watch"]["incidents"][0]["proposal"]


async def test_an_agent_cannot_approve_by_any_command(tmp_path: Path):
    async with shell(tmp_path) as run:
        agent = Agent(run)
        await agent.do("babysit start")
        stopped = await agent.wait_for("incident", "babysit wait JOB --until incident")
        proposal = stopped["watch"]["incidents"][0]["proposal"]["id"]
        for attempt in (
            f"babysit approve {proposal}",
            f"yes | babysit approve {proposal}",
            f"babysit approve {proposal} --yes",
            f"babysit approve {proposal} --json",
            f"babysit approve {proposal} < /dev/null",
        ):
            said = await run(attempt, stdin=b"y\ny\n")
            assert said.code in (2, 4), (attempt, said)
            assert "Traceback" not in said.err
        async with open_app(Settings(state_dir=run.state), clock=run.clock) as app:
            assert (await offered(app, ProposalId(proposal))).status is ProposalStatus.OPEN
        assert run.sim.launched == []
