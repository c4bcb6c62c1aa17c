"""Mails made to cost much: each a command line and a text of a size that is given."""

from dataclasses import dataclass

from tests.support import tables
from tests.support.mails import grown


@dataclass(frozen=True)
class Costly:
    """A kind of mail that grows with a number."""

    subject: str
    body: str = ""
    header: str = ""

    def line(self, size: int) -> str:
        return grown(self.subject, size)

    def text(self, size: int) -> str:
        return grown(self.body, size)

    def headers(self, size: int) -> tuple[str, ...]:
        return tuple(filter(None, grown(self.header, size).split("\r\n")))


COSTLY = {name: Costly(*parts) for name, *parts in tables.of(__file__)["mails"]}
"""The kinds of mails by their names."""
