"""Rules that count as hints by what people said, for commands without a running service."""

from collections.abc import Mapping

from babysitter.config import Settings
from babysitter.diagnosis.causes.demotion import NOTHING_DEMOTED
from babysitter.engine.rules.rule_demotions import RuleDemotions
from babysitter.errors import BabysitError
from babysitter.model.ids import RuleId
from babysitter.store.store import open_store
from babysitter.usecases.incidents.quick_demotions import may_have_demotions
from babysitter.usecases.state_folder import state_folder


async def stored_demotions(settings: Settings) -> Mapping[RuleId, str]:
    """The demoted rules with the reason of each; none where no database is, or it cannot be read."""
    url = settings.database_url.get_secret_value() if settings.database_url else None
    folder = state_folder(settings.state_dir)
    if url is None and not may_have_demotions(folder):
        return NOTHING_DEMOTED
    try:
        store = await open_store(url or folder)
    except BabysitError:
        return NOTHING_DEMOTED
    try:
        return await RuleDemotions(store, settings.memory.demote_after).now()
    except BabysitError:
        return NOTHING_DEMOTED
    finally:
        await store.close()
