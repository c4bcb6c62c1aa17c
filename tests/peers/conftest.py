from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.peers.mail_servers.host import Host, install, new_host, open_folder


@pytest.fixture(scope="session")
def installed() -> Iterator[Path]:
    with open_folder() as folder:
        install(folder)
        yield folder


@pytest.fixture
def host(installed: Path) -> Iterator[Host]:
    with new_host(installed) as host:
        yield host
