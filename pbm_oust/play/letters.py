"""The letters in the outbox that go to certain addresses."""

from collections.abc import Callable
from contextlib import suppress
from email.parser import BytesHeaderParser
from email.policy import default

from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home

_PARSER = BytesHeaderParser(policy=default)


def letters_to(home: Home, is_meant: Callable[[str], bool]) -> list[str]:
    """Return the names of letters, waiting or failed, whose recipient a function says yes to."""
    found = []
    for name in (*home.outbox.letters(), *home.outbox.failed_letters()):
        with suppress(NoSuchFile):
            headers = _PARSER.parsebytes(home.outbox.read(name))
            if is_meant(str(headers.get("To", ""))):
                found.append(name)
    return found


def remove_letters(home: Home, is_meant: Callable[[str], bool]) -> None:
    """Remove the letters whose recipient a function says yes to; those on their way stay so."""
    for name in letters_to(home, is_meant):
        with suppress(NoSuchFile, FileNotFoundError):
            home.outbox.remove(name)
