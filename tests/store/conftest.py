from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from babysitter.store.open import Store, open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await open_store(tmp_path / "state")
    yield opened
    await opened.close()
