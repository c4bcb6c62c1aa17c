"""A browser that nobody sees: Debian's Chromium, driven by its own driver."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import ChromeOptions, Remote
from selenium.webdriver.remote.client_config import ClientConfig

from tests.peers.browsers.view import DESKTOP, HEIGHT, View, environment, package
from tests.peers.mail_programs.leashed import leashed
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE, wait_until

_OPTIONS = "headless=new no-sandbox disable-gpu disable-dev-shm-usage"
_QUIET = "disable-background-networking disable-component-update disable-sync no-first-run"
_NO_SCRIPTS = {"profile.managed_default_content_settings.javascript": 2}


@contextmanager
def browsing(folder: Path, view: View | None = None) -> Iterator[Remote]:
    """Run a browser for the body of the `with`; what it keeps goes into the folder."""
    folder.mkdir()
    port = free_port()
    driver: list[str | Path] = [package("chromium") / "bin/chromedriver", f"--port={port}"]
    with leashed(driver, environment(folder), folder / "printed"):
        wait_until(lambda: "started successfully" in (folder / "printed").read_text(), "a browser")
        client = ClientConfig(url := f"http://127.0.0.1:{port}", timeout=PATIENCE)
        browser = Remote(url, options=_options(folder, view or View()), client_config=client)
        try:
            yield browser
        finally:
            shown = browser.find_element("tag name", "body").text
            print(browser.current_url, browser.title, shown, sep="\n")
            browser.quit()


def _options(folder: Path, view: View) -> ChromeOptions:
    """Return the options of a browser with this view. Windows of phones have to be asked for."""
    options = ChromeOptions()
    options.binary_location = str(package("chromium") / "lib/chromium/chromium")
    named = f"window-size={view.width},{HEIGHT} accept-lang={view.language}"
    named += f" blink-settings=preferredColorScheme={0 if view.is_dark else 1}"
    for option in f"{_OPTIONS} {_QUIET} {named} user-data-dir={folder}/profile".split():
        options.add_argument(f"--{option}")
    if view.width < DESKTOP:
        metrics = {"width": view.width, "height": HEIGHT, "pixelRatio": 2}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    if view.is_still:
        options.add_argument("--force-prefers-reduced-motion")
    if not view.has_scripts:
        options.add_experimental_option("prefs", _NO_SCRIPTS)
    return options
