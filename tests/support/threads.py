"""Threads as mail programs make them from letters, by their published rules."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from itertools import pairwise

Threads = list[list[Message]]
Rule = Callable[[Sequence[Message]], Threads]

_ID = re.compile(r"<[^<>\s]+>")
_WEEK = timedelta(days=7)


def references(message: Message) -> list[str]:
    """Return the Message-IDs that a mail refers to, oldest first, each once."""
    headers = f"{message.get('References', '')} {message.get('In-Reply-To', '')}"
    return list(dict.fromkeys(_ID.findall(headers)))


def by_jwz(messages: Sequence[Message]) -> Threads:
    """Return the threads of Zawinski's algorithm without its grouping by Subject.

    Mails are below the last one that they refer to, whether it exists or not.
    Source: https://www.jwz.org/doc/threading.html
    """
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while name in parent:
            name = parent[name]
        return name

    def hang(child: str, above: str) -> None:
        if root(above) != child and child != above:
            parent[child] = above

    for message in messages:
        chain = references(message)
        for above, child in pairwise(chain):
            if child not in parent:
                hang(child, above)
        own = message["Message-ID"]
        parent.pop(own, None)
        if chain:
            hang(own, chain[-1])
    threads = defaultdict(list)
    for message in messages:
        threads[root(message["Message-ID"])].append(message)
    return list(threads.values())


def by_thunderbird(messages: Sequence[Message]) -> Threads:
    """Return the threads of Thunderbird since version 3, with its default settings.

    A mail joins the thread of the latest mail that it refers to, or of mails that refer to the same
    one, whether it exists or not. Subjects do not count.
    Source: https://wiki.mozilla.org/MailNews:Message_Threading, mail.strict_threading and
    mail.correct_threading
    """
    threads: Threads = []
    thread_of: dict[str, list[Message]] = {}
    for message in messages:
        names = [message["Message-ID"], *reversed(references(message))]
        thread = next((thread_of[name] for name in names if name in thread_of), None)
        if thread is None:
            thread = []
            threads.append(thread)
        thread.append(message)
        for name in names:
            thread_of.setdefault(name, thread)
    return threads


def by_gmail(messages: Sequence[Message]) -> Threads:
    """Return the conversations of Gmail.

    A mail joins one that has its Subject, without what programs put in front of an answer, and in
    which somebody refers to what it refers to, or to the mail itself; a mail without references
    joins one with the same Subject and people within a week. Each has at most a hundred mails.
    Source: https://workspaceupdates.googleblog.com/2019/03/
    threading-changes-in-gmail-conversation-view.html
    """
    threads: Threads = []
    for message in messages:
        for thread in threads:
            if len(thread) < 100 and _is_of_conversation(message, thread):
                thread.append(message)
                break
        else:
            threads.append([message])
    return threads


def _is_of_conversation(message: Message, thread: list[Message]) -> bool:
    if _bare_subject(message) != _bare_subject(thread[0]):
        return False
    if references(message):
        known = {name for each in thread for name in (each["Message-ID"], *references(each))}
        return bool(known & set(references(message)))
    people = {person for each in thread for person in _people(each)}
    latest = max(parsedate_to_datetime(each["Date"]) for each in thread)
    is_recent = parsedate_to_datetime(message["Date"]) - latest < _WEEK
    return is_recent and _people(message) <= people


def _bare_subject(message: Message) -> str:
    return re.sub(r"^((re|fwd?|aw)\s*:\s*)+", "", str(message["Subject"]).lower())


def _people(message: Message) -> set[str]:
    headers = [str(message[name]) for name in ("From", "To")]
    return {address for _, address in getaddresses(headers)}
