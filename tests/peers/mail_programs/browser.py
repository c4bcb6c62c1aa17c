"""A browser that nobody sees: Debian's Chromium, driven by its own driver."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import ChromeOptions, Remote

from tests.peers.mail_programs.desk import PEERS
from tests.peers.mail_programs.leashed import leashed
from tests.peers.mail_servers.host import free_port
from tests.support.waiting import wait_until

_PACKAGE = PEERS / "chromium/usr"
_OPTIONS = "headless=new no-sandbox disable-gpu disable-dev-shm-usage window-size=1200,900"
_QUIET = "disable-background-networking disable-component-update disable-sync no-first-run"


@contextmanager
def browsing(folder: Path) -> Iterator[Remote]:
    """Run a browser for the body of the `with`; what it keeps goes into the folder."""
    folder.mkdir()
    options = ChromeOptions()
    options.binary_location = str(_PACKAGE / "lib/chromium/chromium")
    for option in f"{_OPTIONS} {_QUIET}".split():
        options.add_argument(f"--{option}")
    options.add_argument(f"--user-data-dir={folder}/profile")
    port = free_port()
    environment = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin"}
    driver: list[str | Path] = [_PACKAGE / "bin/chromedriver", f"--port={port}"]
    with leashed(driver, environment, folder / "printed"):
        wait_until(lambda: "started successfully" in (folder / "printed").read_text(), "a browser")
        browser = Remote(f"http://127.0.0.1:{port}", options=options)
        try:
            yield browser
        finally:
            shown = browser.find_element("tag name", "body").text
            print(browser.current_url, browser.title, shown, sep="\n")
            browser.quit()
