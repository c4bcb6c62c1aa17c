from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.peers.mail_servers.host import Host, install, new_host, open_folder

HUNG = ["Hung", "ReadTimeoutError", "TimeoutException"]
"""What is raised by a terminal and by browsers in which nothing happens any more."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Begin a test again once if a browser or a program in a terminal hangs; the report says so."""
    item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=HUNG))


@pytest.fixture(scope="session")
def installed() -> Iterator[Path]:
    with open_folder() as folder:
        install(folder)
        yield folder


@pytest.fixture
def host(installed: Path) -> Iterator[Host]:
    with new_host(installed) as host:
        yield host
