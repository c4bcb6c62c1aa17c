from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.peers.mail_programs.desk import Desk
from tests.support.sink import listening_sink


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with listening_sink() as (sink, endpoint):
        yield Desk(tmp_path, endpoint.port, sink)
