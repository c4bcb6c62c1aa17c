"""Somebody at Roundcube in a browser."""

from contextlib import suppress

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Keys, Remote
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.peers.mail_programs.imap import PASSWORD
from tests.support.waiting import wait_until

_IS_READY = """
return document.readyState == "complete"
    && (!document.querySelector("#composebody_ifr") || tinymce.activeEditor.initialized)
"""


class Webmail:
    """A browser that shows Roundcube."""

    def __init__(self, browser: Remote) -> None:
        self._browser = browser

    def log_in(self, page: str, address: str) -> None:
        """Open Roundcube and log in."""
        self._browser.get(page)
        self._find("input[name=_user]").send_keys(address)
        self._find("input[name=_pass]").send_keys(PASSWORD + Keys.ENTER)
        self._find("#messagelist-content")

    def open(self, subject: str) -> str:
        """Open the mail with a Subject and return what is shown of its text."""
        wait_until(lambda: self._opens(subject), f"a mail {subject}")
        return self._find("#messagebody").text

    def answer(self, text: str) -> None:
        """Answer the mail that is open: a text above the quote, all else as Roundcube offers it."""
        self._find("a.reply[title]:not(.disabled)").click()
        self._type(text)
        self._find("button.send:not(.disabled)").click()
        wait_until(lambda: "_action=compose" not in self._browser.current_url, "the mail sent")

    def _type(self, text: str) -> None:
        draft = self._find("#composebody, #composebody_ifr")
        wait_until(lambda: self._browser.execute_script(_IS_READY), "the editor")
        if draft.tag_name == "iframe":
            self._browser.switch_to.frame(draft)
            draft = self._find("#tinymce")
        draft.send_keys(Keys.CONTROL + Keys.HOME)
        draft.send_keys(f"{text}\n\n")
        written = draft.get_attribute("value") or draft.text
        assert written.startswith(text.partition("\n")[0]), written
        self._browser.switch_to.default_content()

    def _opens(self, subject: str) -> bool:
        """Open the mail with a Subject, if it is in the list and stays where it is."""
        with suppress(StaleElementReferenceException):
            if row := self._row_of(subject):
                ActionChains(self._browser).double_click(row).perform()
                return True
        return False

    def _row_of(self, subject: str) -> WebElement | None:
        """Return the row of a mail in the list; where that says that it is empty, load it again.

        Roundcube may look at a mailbox in the moment in which mail is coming.
        """
        rows = self._seen("#messagelist td.subject a")
        is_empty = self._seen("#messagelist-content .listing-info")
        if is_empty and not self._seen("#messagestack .loading"):
            self._browser.refresh()
        return next((row for row, text in rows if text == subject), None)

    def _find(self, selector: str) -> WebElement:
        """Wait for an element that can be seen, and return it."""
        return wait_until(lambda: self._seen(selector), f"{selector} in the page")[0][0]

    def _seen(self, selector: str) -> list[tuple[WebElement, str]]:
        """Return the elements that can be seen with their texts; none while the page changes."""
        with suppress(StaleElementReferenceException):
            found = self._browser.find_elements(By.CSS_SELECTOR, selector)
            return [(element, element.text) for element in found if element.is_displayed()]
        return []
