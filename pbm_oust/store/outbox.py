"""The outbox: letters that wait for the relay, are unread in the Maildir, or have failed.

A letter is known by its name, which is also the name of its file if it has one. Names sort in the
order in which the letters were written.
"""

from datetime import datetime

from pbm_oust.store.database import Database, Snapshot
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.letters import Letter, State, all_letters, content_of, remove_letter
from pbm_oust.store.maildir import Maildir, file_name
from pbm_oust.store.sending import retry_letter


def name_of(letter: Letter) -> str:
    """Return the name of a letter."""
    return file_name(letter.id, letter.posted)


class Outbox:
    """The outbox of a home. Its methods may raise OSError."""

    def __init__(self, database: Database, maildir: Maildir) -> None:
        self.path = maildir.path
        self._database = database
        self._maildir = maildir

    def listed(self) -> list[Letter]:
        """Return all letters as they are at one moment: those that wait, are held back, failed."""
        with self._database.read() as snapshot:
            waiting = self._waiting(snapshot)
            return [
                *waiting,
                *all_letters(snapshot, State.HELD),
                *all_letters(snapshot, State.FAILED),
            ]

    def waiting(self) -> list[Letter]:
        """Return the letters that nobody has taken yet, oldest first."""
        with self._database.read() as snapshot:
            return self._waiting(snapshot)

    def _waiting(self, snapshot: Snapshot) -> list[Letter]:
        found = all_letters(snapshot, State.WAITING) + all_letters(snapshot, State.FILE)
        there = (each for each in found if not each.file or self._maildir.has_new(each.file))
        return sorted(there, key=lambda each: each.id)

    def held(self) -> list[Letter]:
        """Return the letters that are held back since a backup was restored, oldest first."""
        with self._database.read() as snapshot:
            return all_letters(snapshot, State.HELD)

    def failed(self) -> list[Letter]:
        """Return the letters that have failed, oldest first."""
        with self._database.read() as snapshot:
            return all_letters(snapshot, State.FAILED)

    def letters(self) -> list[str]:
        """Return the names of the letters that nobody has taken yet, oldest first."""
        return [name_of(letter) for letter in self.waiting()]

    def failed_letters(self) -> list[str]:
        """Return the names of the letters that failed, oldest first."""
        return [name_of(letter) for letter in self.failed()]

    def set_aside(self) -> list[str]:
        """Return the names of the letters that only the operator releases: held back, or failed."""
        return [name_of(letter) for letter in (*self.held(), *self.failed())]

    def read(self, name: str) -> bytes:
        """Return a letter. Raises NoSuchFile."""
        with self._database.read() as snapshot:
            content = content_of(snapshot, _id_of(name))
        if content is None:
            raise NoSuchFile(name)
        return content

    def remove(self, name: str) -> None:
        """Remove a letter. Raises NoSuchFile if there is none, or somebody has taken it."""
        found = {name_of(letter): letter for letter in self.listed()}
        letter = found.get(name)
        files = [letter.file] if letter and letter.file else []
        with self._maildir.withheld(files) as is_withheld:
            if letter is None or not is_withheld:
                raise NoSuchFile(name)
            self._database.write(lambda transaction: remove_letter(transaction, letter.id))

    def retry(self, name: str, now: datetime) -> None:
        """Let a letter that failed wait for the relay again. Raises NoSuchFile."""
        number = _id_of(name)
        if not self._database.write(lambda transaction: retry_letter(transaction, number, now)):
            raise NoSuchFile(name)


def _id_of(name: str) -> int:
    """Return the id of the letter with a name. Raises NoSuchFile if no letter can have it."""
    number = name.partition(".L")[2].partition(".")[0]
    if not number.isdecimal():
        raise NoSuchFile(name)
    return int(number)
