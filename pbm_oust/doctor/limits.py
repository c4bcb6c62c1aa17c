"""The limits: how many mails got no answer because of one."""

from collections.abc import Iterator
from datetime import datetime

from pbm_oust.doctor.finding import Examiner, Finding, counted
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.limits import SETTABLE, Counted, number_counted

_on = Examiner("limits")


def check(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield a note about each limit that has left mails unanswered lately."""
    try:
        silenced = {
            word: home.ask(number_counted, Counted.SILENCES, word, now) for word in SETTABLE
        }
    except DatabaseFault:
        return
    for word, number in silenced.items():
        if number:
            yield _on.note(f"{counted(number, 'mail')} within a day got no answer: {word}")
