"""The letters in the outbox of a home, as their readers see them."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from pbm_oust.store.database import Transaction
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, add_letters
from tests.support.letters import as_text, page_of, text_letter


@dataclass(frozen=True)
class Letter:
    """A whole letter, `data`, with its name in the outbox, and what it shows."""

    name: str
    data: bytes

    def __getitem__(self, header: str) -> str | None:
        """Return what a header says, if there is one."""
        return self.headers.get(header)

    @cached_property
    def headers(self) -> dict[str, str]:
        """Its headers; the last one of several with one name."""
        return {name: str(value) for name, value in text_letter(self.data).items()}

    @property
    def to(self) -> str:
        """The address that it goes to."""
        return self.headers["To"]

    @property
    def subject(self) -> str:
        """Its Subject."""
        return self.headers["Subject"]

    @cached_property
    def text(self) -> str:
        """Its text."""
        text = text_letter(self.data).get_payload(decode=True)
        assert isinstance(text, bytes)
        return text.decode()

    @property
    def as_text(self) -> str:
        """The letter with its headers as if it were text alone."""
        return as_text(self.data).decode()

    @property
    def words(self) -> str:
        """Its text in one line."""
        return " ".join(self.text.split())

    @property
    def page(self) -> str:
        """The same as HTML; empty if it is text alone."""
        return page_of(self.data)


def letters(home: Home, but: Collection[str] = ()) -> list[Letter]:
    """Return the letters in the outbox, oldest first, but for some names."""
    found = []
    for name in home.outbox.letters():
        with suppress(NoSuchFile):  # the relay has just taken it
            found += [Letter(name, home.outbox.read(name))] if name not in but else []
    return found


def add(transaction: Transaction, home: Home, *drafts: Draft) -> None:
    """Add letters to the outbox with what a transaction writes."""
    add_letters(transaction, drafts, home.posted_state)


def post(home: Home, *drafts: Draft) -> None:
    """Add letters to the outbox."""
    home.database.write(lambda transaction: add(transaction, home, *drafts))


def clear_outbox(home: Home) -> None:
    """Remove all letters from the outbox, like a relay that has sent them."""
    for name in home.outbox.letters():
        home.outbox.remove(name)
