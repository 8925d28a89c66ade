"""Every finding that blocks calls the act off before the stop; one that is not known yet puts it off."""

from dataclasses import replace

import pytest

from babysitter.preflight.checks import CHECKS
from babysitter.preflight.facts import (
    BundleSize,
    FileStatus,
    Folder,
    Known,
    Login,
    NotKnown,
    ProjectFile,
    Purpose,
    Workspace,
)
from babysitter.preflight.resources.offer import ClusterOffer, ScaleGroup
from babysitter.preflight.run import check_submission
from tests.engine.test_act import SUCCESSOR, answer, offer_of
from tests.engine.test_check import zombie
from tests.support.app import home
from tests.support.build import ROOT
from tests.support.jobs import pipeline, tree
from tests.support.submissions import IN_ORDER, LAUNCHABLE, command_facts, request_facts

RUN = "iris job run --no-wait"
TPU = f"{RUN} --enable-extra-resources"
SMALL = ScaleGroup("small", cpu=8.0)


def command(**changes):
    return command_facts(f"{RUN} -- x", command=replace(IN_ORDER, **changes))


def folder_with(words, **found):
    return command_facts(f"{RUN} {words}", command=replace(IN_ORDER, workspace=Workspace(**found)))


def changed_folder():
    facts = command()
    now = facts.command.folder.value.now
    return replace(facts, submission=replace(facts.submission, folder=replace(now, digest="other")))


# One set of facts for each id that blocks: what comes up between the proposal and the act.
BLOCKED = {
    "nothing-to-submit": command_facts(f"{RUN} -- x", fault="Nobody knows the command."),
    "command-not-runnable": command(program_found=Known(False)),
    "folder-missing": command(folder=Known(Folder("/home/ada/job", None))),
    "folder-changed": changed_folder(),
    "unknown-flag": command_facts(f"{RUN} --memroy 2GB -- x"),
    "bad-value": command_facts(f"{RUN} --timeout 1h -- x"),
    "no-program": command_facts(RUN),
    "missing-separator": command_facts(f"{RUN} bash -lec true"),
    "swallowed-word": command_facts(f"{RUN} -e KEY -- x"),
    "extra-resources": command_facts(f"{RUN} --memory 5GB -- x"),
    "size-without-unit": command_facts(f"{RUN} --memory 8 -- x"),
    "no-wait": command_facts("iris job run -- x", purpose=Purpose.RESUBMIT),
    "unknown-gpu": command_facts(f"{RUN} --enable-extra-resources --gpu A9000 -- x"),
    "bundle-too-large": command(bundle=Known(BundleSize(2**30))),
    "variable-missing": request_facts(missing_variables=("HF_TOKEN",)),
    "login-missing": request_facts(login=Known(Login.REFUSED)),
    "other-user": request_facts(user=Known("bob")),
    "name-taken": request_facts(name_is_taken=Known(True)),
    "bundle-gone": request_facts(request=replace(LAUNCHABLE, bundle_exists=Known(False))),
    "client-too-old": request_facts(request=replace(LAUNCHABLE, client_revision=Known(None))),
    "unknown-tpu": command_facts(f"{TPU} --extra tpu --tpu V6E-4 -- x"),
    "replicas-of-slice": command_facts(f"{TPU} --extra tpu --tpu v6e-16 --replicas 6 -- x"),
    "accelerator-extra": command_facts(f"{TPU} --tpu v6e-4 -- x"),
    "not-offered": command_facts(f"{RUN} --cpu 64 -- x", offer=ClusterOffer("reef", (SMALL,))),
    "unknown-peer": command_facts(
        f"{RUN} --target-cluster x -- x", generation="august", offer=ClusterOffer("reef", ())
    ),
    "priority-not-allowed": command_facts(
        f"{RUN} --priority production -- x", offer=ClusterOffer("reef", ())
    ),
    "bad-reserve": command_facts(f"{RUN} --reserve 0:v5p-8 -- x"),
    "line-for-shell": command_facts(f"{RUN} -- bash -c python x.py"),
    "unknown-extra": folder_with("--extra rl -- x", extras=frozenset({"cpu"})),
    "no-project": replace(
        folder_with("-- x", project=ProjectFile.ABOVE), offer=ClusterOffer("reef", (SMALL,))
    ),
    "file-not-shipped": folder_with("-- python x.py", files={"x.py": FileStatus.MISSING}),
    "program-not-found": command_facts(f"{RUN} -- cd exp"),
    "not-executable": command_facts(f"{RUN} -- ./run.sh"),
    "unset-variable": command_facts(f"{RUN} -- x", unset_variables=("TOKEN",)),
    "bad-env-file": folder_with("-- x", env_fault="The file of variables is not proper YAML."),
    "output-prefix": command_facts(f"{RUN} -e MARIN_PREFIX '' -- x"),
    "variable-not-passed": folder_with("-- x", reads=frozenset({"MARIN_PREFIX"})),
    "cluster-not-named": command_facts(f"{RUN} -- x", cluster_fault="The cluster file is not there."),
    "local-cluster-ends": command_facts(f"{RUN} -- x", offer=ClusterOffer("here", (), is_local=True)),
}
# Advice about a new submission, which never blocks.
ADVICE = {
    "data-region",
    "default-memory",
    "reserve-is-no-accelerator",
    "uncommitted-changes",
    "no-dev-group",
    "no-retries",
    "output-prefix-missing",
}


@pytest.fixture
async def place(tmp_path):
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


def test_every_check_has_a_case():
    assert set(BLOCKED) == set(CHECKS) - ADVICE


@pytest.mark.parametrize("id_", BLOCKED)
async def test_act_called_off_before_the_stop(place, id_):
    findings = check_submission(BLOCKED[id_])
    assert [finding.id for finding in findings if finding.blocks] == [id_]
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    place.writer.findings = findings
    await answer(place, offer)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([], [])
    told = [item.words.sentence for item in place.ear.heard if item.occasion == "withdrawn"]
    assert findings[0].reason.rstrip(".") in told[-1]
    async with place.app.store.reading() as tx:
        assert (await tx.incidents.proposal(offer)).status == "withdrawn"
        proposals = (await tx.incidents.of(watch)).proposals
    assert len(proposals) == 1  # not made again while the reason lasts


async def test_act_put_off_until_it_can_be_checked(place):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    unknown = NotKnown("The controller did not answer.", may_pass=True)
    place.writer.findings = check_submission(request_facts(name_is_taken=unknown))
    await answer(place, offer)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([], [])
    place.writer.findings = ()
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([ROOT], [SUCCESSOR])


async def test_act_goes_on_where_it_can_never_be_checked(place):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    unknown = NotKnown("The iris command cannot ask for a bundle.")
    request = replace(LAUNCHABLE, bundle_exists=unknown)
    place.writer.findings = check_submission(request_facts(request=request))
    await answer(place, offer)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([ROOT], [SUCCESSOR])
