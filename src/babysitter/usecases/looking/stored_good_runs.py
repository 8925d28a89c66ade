"""Good runs that the service has kept, for a look at a job without a watch."""

from babysitter.config import Settings
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.engine.good_run_cache import GoodRunCache
from babysitter.errors import BabysitError
from babysitter.model.ids import JobId
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.store import open_store
from babysitter.usecases.state_folder import state_folder


async def stored_good_runs(settings: Settings, cluster: str, job: JobId) -> GoodRuns | None:
    """The good runs of a job's program; None where none is kept, or the database cannot be read."""
    url = settings.database_url.get_secret_value() if settings.database_url else None
    folder = state_folder(settings.state_dir)
    if url is None and not (folder / FILE_NAME).exists():
        return None
    try:
        store = await open_store(url or folder)
    except BabysitError:
        return None
    try:
        return await GoodRunCache(store).for_job(cluster, job)
    except BabysitError:
        return None
    finally:
        await store.close()
