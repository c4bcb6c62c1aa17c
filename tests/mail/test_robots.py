"""Mail that plays nothing, because a robot sent it, and mail that counts only with a proof."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.commands.general import HelpNotice
from pbm_oust.letters.letters import Letters
from pbm_oust.mail.inbound import MOST_HOPS, automatic_by
from pbm_oust.mail.reading import read_mail
from pbm_oust.play.notices import Reader
from pbm_oust.play.request import Request
from tests.mail_corpus.corpus import fate
from tests.support import tables
from tests.support.mails import in_parts, mail
from tests.support.tables import pairs

tabled = tables.tabled(__file__)

OWN = "pbmserv@example.org"
ALICE = "alice@example.net"


@pytest.mark.parametrize(("headers", "wanted"), pairs(Path(__file__).with_name("robots.txt")))
def test_headers_tell_what_becomes_of_a_mail(headers: str, wanted: str) -> None:
    others = (f"From: {ALICE}", "Subject: help")
    name = headers.partition(":")[0]
    own = [each for each in others if not each.startswith(name)]
    assert fate(read_mail(mail(*own, headers)), ALICE) == wanted


@pytest.mark.parametrize(
    ("envelope_sender", "reason"),
    [
        *((ALICE, None), ("bounces@list.example.net", None), (None, None), ("", "null sender")),
        *((each, "own address") for each in (OWN, "PbmServ@Example.org", f"pbmserv+x@{OWN[8:]}")),
        *(
            (f"{each}@example.net", "sender mailer-daemon")
            for each in ("MAILER-DAEMON", "mailer-daemon+x")
        ),
        ("MAILER-DAEMON", "sender mailer-daemon"),
    ],
)
def test_the_sender_of_the_envelope_counts_whatever_from_says(
    envelope_sender: str | None, reason: str | None
) -> None:
    read = read_mail(mail(f"From: {ALICE}", "Subject: help"))
    assert automatic_by(read, envelope_sender, OWN) == reason


@pytest.mark.parametrize("subjects", [("help", "Out of Office"), ("Out of Office", "help")])
def test_one_subject_of_an_automatic_reply_is_enough(subjects: tuple[str, str]) -> None:
    read = read_mail(mail(f"From: {ALICE}", *(f"Subject: {each}" for each in subjects)))
    assert automatic_by(read, ALICE, OWN) == "Subject of an automatic reply"


@tabled("part")
@pytest.mark.parametrize("kind", ["alternative", "mixed"])
def test_a_reaction_with_an_emoji_plays_nothing(part: str, kind: str) -> None:
    text = "Content-Type: text/plain\r\n\r\nD4"
    read = read_mail(in_parts(text, f"{part}\r\n\r\n{{}}", kind=kind))
    assert automatic_by(read, ALICE, OWN) == "reaction"


@tabled("subject", "text")
def test_a_receipt_or_recall_in_words_plays_nothing(subject: str, text: str) -> None:
    read = read_mail(mail(f"From: {ALICE}", f"Subject: {subject}", text=text))
    assert automatic_by(read, ALICE, OWN) == "receipt or recall"


@tabled("subject", "text")
def test_what_only_resembles_a_receipt_is_answered(subject: str, text: str) -> None:
    read = read_mail(mail(f"From: {ALICE}", f"Subject: {subject}", text=text))
    assert automatic_by(read, ALICE, OWN) is None


@pytest.mark.parametrize(("hops", "reason"), [(MOST_HOPS + 1, "too many hops"), (MOST_HOPS, None)])
def test_mail_that_went_round_in_circles_is_not_answered(hops: int, reason: str | None) -> None:
    read = read_mail(mail(f"From: {ALICE}", *["Received: from a by b"] * hops))
    assert automatic_by(read, ALICE, OWN) == reason


@pytest.mark.parametrize("asked", [True, False])
def test_our_own_letters_are_not_answered_whoever_sends_them_back(asked: bool) -> None:
    at = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
    request = Request("help", "", ALICE, "<1@example.net>")
    notice = HelpNotice(Reader((ALICE,), wrote_from=ALICE if asked else ""), ())
    (draft,) = Letters(OWN, lambda: at, lambda: b"key").write(notice, request)
    sent_back = draft.content.replace(OWN.encode(), ALICE.encode(), 1)
    assert automatic_by(read_mail(sent_back), ALICE, OWN) == "Auto-Submitted"
