"""Whether the controller still has the bundle of a stored request, asked without loading it."""

import re

from babysitter.backends.iris.connection.transport import NoSuchMethod, Transport
from babysitter.errors import ExternalError
from babysitter.preflight.facts import Fact, Known, NotKnown

_ID = re.compile(r"[0-9A-Za-z_.-]+")
_GONE = b"Bundle not found"  # the controller's own word; another 404 is of something in between
_NO_HEAD = (405, 501)


async def bundle_exists(line: Transport, bundle: str) -> Fact[bool]:
    """LaunchJob does not check the id that it is given. A bundle is gone if the controller itself says so."""
    if not _ID.fullmatch(bundle):
        return NotKnown("The stored request names no bundle.") if not bundle else Known(False)
    path = f"/bundles/{bundle}.zip"
    try:
        page = await line.request_page(path, verb="HEAD")
        if page.status == 200:
            return Known(True)
        if page.status == 404 or page.status in _NO_HEAD:
            page = await line.request_page(path, verb="GET")
    except NoSuchMethod:
        return NotKnown("The iris command cannot ask for a bundle.")
    except ExternalError as error:
        return NotKnown(error.sentence, may_pass=True)
    if page.status == 200:
        return Known(True)
    if page.status == 404 and page.beginning.startswith(_GONE):
        return Known(False)
    return NotKnown(f"{line.place} answers {page.status} for {path}.", may_pass=page.status >= 500)
