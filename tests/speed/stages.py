"""Where the time of a move goes: how long the server is at work in each stage."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any

STAGES = {
    "reading": ["pbm_oust.mail.inbound:read_mail"],
    "tags": ["pbm_oust.mail.inbound:parse_tag", "pbm_oust.mail.inbound:Inbound._reply"],
    "commands": ["pbm_oust.service.service:read_request"],
    "password": ["pbm_oust.play.unit_of_work:Passwords.match"],
    "boards": ["pbm_oust.store.boards:Boards.read"],
    "rules": ["pbm_oust.board.game:Game.act"],
    "words": ["pbm_oust.letters.words:Words.of"],
    "HTML": ["pbm_oust.letters.html:Pages.of"],
    "MIME": ["pbm_oust.letters.letters:Letters._content"],
    "commit": ["pbm_oust.store.sqlite:SqliteDatabase.write"],
    "the rest": ["pbm_oust.mail.inbound:Inbound.take"],
}
"""The functions of each stage; what others of them take within is theirs."""


class Stopwatch:
    """Adds up what each stage takes of the processor, without the stages within it."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(STAGES, 0.0)
        self._here = threading.local()

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same, and is timed."""

        @wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            outer = getattr(self._here, "within", 0.0)
            self._here.within = 0.0
            begun = time.thread_time()
            try:
                return function(*given, **named)
            finally:
                took = time.thread_time() - begun
                self.spent[stage] += took - self._here.within
                self._here.within = outer + took

        return run


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    """Time all stages within the body of the `with`."""
    watch, originals = Stopwatch(), list[tuple[Any, str, Any]]()
    for stage, names in STAGES.items():
        for name in names:
            module, _, path = name.partition(":")
            owner: Any = import_module(module)
            *outer, last = path.split(".")
            for each in outer:
                owner = getattr(owner, each)
            original = getattr(owner, last)
            originals.append((owner, last, original))
            setattr(owner, last, watch.timed(stage, original))
    try:
        yield watch
    finally:
        for owner, last, original in originals:
            setattr(owner, last, original)
