from collections.abc import Iterator

import pytest
from selenium.webdriver import Remote

from tests.peers.browsers import chromium, firefox
from tests.peers.mail_servers.host import open_folder

BROWSERS = {"chromium": chromium.browsing, "firefox": firefox.browsing}


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request: pytest.FixtureRequest) -> Iterator[Remote]:
    """Run each browser. Chromium wants a folder with a short name."""
    with open_folder() as folder, BROWSERS[request.param](folder / "browser") as found:
        yield found
