"""Whether each part of a set-up works, tried for real: for `doctor`."""

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.connection_check import Check
from babysitter.backends.registry import examine
from babysitter.config import Settings, secret
from babysitter.errors import BabysitError
from babysitter.notify.notifier import NotifyError
from babysitter.playbook.load import load
from babysitter.shipped import shipped
from babysitter.wiring import open_app


async def examine_setup(settings: Settings, spec: ClusterSpec | None) -> list[Check]:
    """Rules, state, service, notifiers and, where one is named, the cluster. Never raises."""
    checks = [_rules(settings), *await _state(settings), await _slack(settings), *await _apprise(settings)]
    if spec is None:
        step = "Give --cluster NAME, --controller-url URL, --config FILE or --ray URL."
        return [*checks, Check("cluster", ok=False, detail="none named", next_step=step)]
    return [*checks, *await examine(spec)]


def _rules(settings: Settings) -> Check:
    try:
        playbook = load([shipped(), *(path.expanduser() for path in settings.playbooks)])
    except BabysitError as fault:
        return Check("playbooks", ok=False, detail=fault.sentence, next_step=fault.next_step)
    return Check("playbooks", ok=True, detail=f"{len(playbook.rules)} rules")


async def _state(settings: Settings) -> tuple[Check, ...]:
    """The database, and whether somebody serves it."""
    try:
        async with open_app(settings) as app:
            runs = await app.leadership.somebody_serves()
    except BabysitError as fault:
        return (Check("state", ok=False, detail=fault.sentence, next_step=fault.next_step),)
    detail = "runs" if runs else "does not run; `babysit start` starts it"
    return Check("state", ok=True, detail=str(app.state_folder)), Check("service", ok=True, detail=detail)


async def _slack(settings: Settings) -> Check:
    """Whether Slack takes the token. Scopes, events and a button's whole way: `babysit slack check`."""
    slack = settings.slack
    try:
        token = secret(slack.bot_token, slack.bot_token_file, what="Slack bot token")
    except BabysitError as fault:
        return Check("slack", ok=False, detail=fault.sentence, next_step=fault.next_step)
    if not token:
        return Check("slack", ok=True, detail="not configured")
    from babysitter.slack.posting import identity_of, open_client

    try:
        who = await identity_of(open_client(token, base_url=slack.api_url))
    except NotifyError as refused:
        return Check("slack", ok=False, detail=refused.sentence, next_step="Try `babysit slack check`.")
    return Check("slack", ok=True, detail=f"{who}, channel {slack.channel}; buttons: `babysit slack check`")


async def _apprise(settings: Settings) -> list[Check]:
    """Whether apprise understands each URL. Sends nothing, and shows nothing of a URL but its scheme."""
    from babysitter.notify.apprise import AppriseNotifier

    checks = []
    for number, url in enumerate(settings.notify.apprise, start=1):
        notifier = AppriseNotifier(url.get_secret_value(), number=number)
        try:
            await notifier.verify()
        except NotifyError as refused:
            step = "Correct notify.apprise in the settings."
            checks.append(Check(notifier.name, ok=False, detail=refused.sentence, next_step=step))
        else:
            checks.append(Check(notifier.name, ok=True, detail=f"{notifier.description}; nothing was sent"))
    return checks
