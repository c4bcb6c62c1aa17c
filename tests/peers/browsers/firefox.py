"""Another browser that nobody sees: Debian's Firefox, by its own remote control."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import FirefoxOptions, Remote

from tests.peers.browsers.marionette import Marionette
from tests.peers.browsers.view import DESKTOP, HEIGHT, View, environment, package
from tests.peers.mail_programs.leashed import leashed
from tests.support.waiting import wait_until

_NARROW = ":root { min-width: 0 !important }"
"""Lets a window be as narrow as a phone."""
_COARSE, _FINE = 1, 6
"""The pointers of phones, which are fingers, and of desktops, which hover."""
_OPTIONS = ("--headless", "--marionette", "--no-remote", "--profile")


@contextmanager
def browsing(folder: Path, view: View | None = None) -> Iterator[Remote]:
    """Run a browser for the body of the `with`; what it keeps goes into the folder."""
    view, profile = view or View(), folder / "profile"
    profile.mkdir(parents=True)
    lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in _settings(view).items())
    (profile / "user.js").write_text("".join(lines))
    (profile / "chrome").mkdir()
    (profile / "chrome/userChrome.css").write_text(_NARROW)
    command = (package("firefox-esr") / "lib/firefox-esr/firefox-esr", *_OPTIONS, profile)
    chosen = profile / "MarionetteActivePort"
    with leashed(command, environment(folder), folder / "printed"):
        wait_until(lambda: chosen.exists() and chosen.read_text(), "a browser")
        connection = Marionette(int(chosen.read_text()))
        browser = Remote(connection, options=FirefoxOptions())  # type: ignore[arg-type] # needs no driver
        browser.set_window_size(view.width, HEIGHT)
        try:
            yield browser
        finally:
            shown = browser.find_element("tag name", "body").text
            print(browser.current_url, browser.title, shown, sep="\n")
            browser.quit()


def _settings(view: View) -> dict[str, str | int | bool]:
    """Return the settings of a browser with this view."""
    return {
        "marionette.port": 0,
        "intl.accept_languages": view.language,
        "javascript.enabled": view.has_scripts,
        "ui.primaryPointerCapabilities": _COARSE if view.width < DESKTOP else _FINE,
        "ui.prefersReducedMotion": int(view.is_still),
        "layout.css.prefers-color-scheme.content-override": 0 if view.is_dark else 1,
        "toolkit.legacyUserProfileCustomizations.stylesheets": True,
    }
