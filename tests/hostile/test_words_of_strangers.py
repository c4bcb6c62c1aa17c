"""Nothing of a stranger's text goes to an address that the stranger has forged."""

import re
from email import message_from_bytes, policy
from itertools import pairwise

import pytest

from pbm_oust.service.table import FORMS, KIND_FORMS
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.home_by_mail import ALICE, BOB, mailed
from tests.support.outbox import Letter
from tests.support.rings import fast_if

VICTIM = "victim@example.net"
WORDS = tables.words(__file__, "words")
NAMES = [*(form.name for form in FORMS), "zqbuy", "oust zqbuy", "oust", "Re: oust 1", "oust 1:"]
BODY = "zqbody http://zq.example zqtext"
OF_OTHERS = ("To", "In-Reply-To", "References")
"""The headers that hold what the mail's own headers say: its address and its Message-ID."""
CODE = r"\b[a-z2-7]{16}\b"
"""What a code of ours looks like: by chance it has any letters."""


def lines(name: str) -> list[str]:
    """Return lines that begin with a command and go on with what strangers want to be read.

    Every other command has one half of the words and of their pairs, the others the other half.
    """
    begun = f"oust {name}" if name in KIND_FORMS else name
    some = slice(NAMES.index(name) % 2, None, 2)
    behind = [
        " ".join(WORDS),
        " ".join(reversed(WORDS)),
        " ".join(WORDS[:2]),
        " ".join(("alice", *WORDS[:3])),
        " ".join(("1", "alice", "wonderlamp", *WORDS[:2])),
        " ".join(("zqbuy", "zqpassword", "zq@zq.example", "zqnow@zq.example")),
        *(" ".join([word] * 2) for word in WORDS[some]),
        *(f"1 alice {word} {other}" for word, other in [*pairwise(WORDS)][some]),
    ]
    return [f"{begun} {other}" for other in behind]


def read(letter: Letter) -> str:
    """Return all that a letter shows: its headers and both of its parts, decoded."""
    message = message_from_bytes(letter.data, policy=policy.default)
    headers = [str(value) for name, value in message.items() if name not in OF_OTHERS]
    parts = [part.get_content() for part in message.walk() if not part.is_multipart()]
    return "\n".join([*headers, *parts]).lower()


def words_of_stranger(letter: Letter) -> set[str]:
    """Return the words of a letter that are none of ours."""
    hostile = {word.strip("-").partition("=")[0] for word in WORDS if "," not in word}
    text = re.sub(CODE, "", read(letter))
    found = {word for word in hostile if word in text}
    found |= set(re.findall(r"[\w.@:/-]*zq[\w.@:/-]*|z,q\S*|z1,q\S*", text))
    return {word.strip("-.:") for word in found if not any(word in more for more in found - {word})}


@pytest.fixture
def home(home: Home) -> Home:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    mailed(home, ALICE, "oust challenge alice bob -size=5")
    return home


@pytest.mark.parametrize("name", fast_if(lambda name: name == "games", NAMES))
def test_a_letter_to_an_unproved_sender_has_one_plain_word_of_theirs_at_most(
    name: str, home: Home
) -> None:
    for nth, line in enumerate(lines(name)):
        # Limits of answers are for other tests.
        sender = f"victim{nth}@example.net"
        for letter in mailed(home, sender, line, BODY):
            words = words_of_stranger(letter)
            assert len(words) <= 1, f"{line}: {words}"
            assert all(re.fullmatch("[a-z]{1,16}", word) for word in words), f"{line}: {words}"


def test_lines_of_several_commands_are_not_shown_to_strangers_either(home: Home) -> None:
    text = "".join(f"oust show {word}\r\n" for word in WORDS[:19])
    for body in (text, "help\r\n" * 3 + text, "help zqbuy zqnow\r\n" * 5):
        for letter in mailed(home, VICTIM, "multiple", body):
            assert words_of_stranger(letter) <= {"zqbuy"}
