"""Mails as programs, companies and gateways of players write them: each is played or answered."""

import random
from datetime import timedelta
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP

from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.mail.flush import Relaying
from pbm_oust.mail.reading import UnreadableMail
from tests.support import tables
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, Talk, new_id
from tests.support.mails import mail, parts
from tests.support.sink import listening_sink

tabled = tables.tabled(__file__)

DORA, TARO = "dora@example.net", '"taro..y."@docomo.example'
SIGNUP = "Subject: signup taro sakuranohana7"
DATE = "Date: Wed, 25 Nov 2026 22:0%d:00 +0000"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=7")
    return talk


# Marks of companies and gateways


@tabled("line", "text", "told")
def test_a_note_that_a_crm_has_passed_on_is_answered(
    line: str, text: str, told: str, talk: Talk
) -> None:
    data = mail(
        "From: Bob Player <bob@example.net>",
        "To: <pbmserv@example.com>",
        f"Subject: {line}",
        DATE % 6,
        "Message-ID: <grp0002@example.org>",
        "List-Unsubscribe: <mailto:crm-unsubscribe@example.org>",
        text=text,
    )
    assert talk.hand_in(data, BOB, ADDRESS) == [f"{BOB}: {told}"]


def of_two_tenants(subject: str, size: int) -> bytes:
    """Return a mail with the kind and amount of headers that companies and their gateways add."""
    drawn = random.Random(7)

    def folded(name: str, length: int, around: str = "%s") -> str:
        text = drawn.randbytes(length // 2).hex()
        lines = (around % text[at : at + 58] for at in range(0, len(text), 58))
        return f"{name}: " + "\r\n ".join(lines)

    seals = ("ARC-Seal", "ARC-Message-Signature", "ARC-Authentication-Results", "DKIM-Signature")
    tenants = [
        each
        for nth in range(4)
        for each in (
            f"Received: from a{nth}.example ({drawn.randbytes(9).hex()}) by\r\n b.example",
            *(folded(name, 800, f"i={nth}; %s") for name in seals),
            folded(f"X-MS-Exchange-AntiSpam-MessageData-{nth}", size // 8, "=?us-ascii?Q?%s?="),
            folded("X-Microsoft-Antispam-Message-Info", size // 16),
            folded("X-Proofpoint-Spam-Details", size // 16),
        )
    ]
    plain = ("From: Alice <alice@example.org>", f"Subject: {subject}", DATE % 7, new_id())
    return mail(*tenants, *plain, "MIME-Version: 1.0", text="")


@pytest.mark.parametrize("size", [32_000, 64_000, 200_000])
def test_a_mail_with_all_headers_of_two_companies_is_played(size: int, talk: Talk) -> None:
    data = of_two_tenants("oust move 1 alice wonderland D4", size)
    assert len(data) > size
    assert f"{BOB}: oust 1 #2: your turn, bob" in talk.hand_in(data, ALICE, ADDRESS)


# What is one mail


def of_alice(subject: str, minute: int, message_id: str, text: str = "") -> bytes:
    return mail(
        f"From: Alice Player <{ALICE}>", f"Subject: {subject}", DATE % minute, message_id, text=text
    )


@pytest.mark.parametrize(
    "message_id", ["Message-ID: <>", "Message-ID: <same@example.org>", "X-No: id"]
)
def test_a_second_move_and_a_challenge_under_the_same_message_id_are_done(
    message_id: str, talk: Talk
) -> None:
    for minute, line in enumerate(
        ("oust move 1 alice wonderland B2", "oust move 1 alice wonderland B5")
    ):
        told = talk.hand_in(of_alice(line, minute, message_id), ALICE, ADDRESS)
        assert f"{BOB}: oust 1 #{2 * minute + 2}: your turn, bob" in told
        talk.send(BOB, f"oust move 1 bob lookingglass F{2 * minute + 2}")
    line = "oust challenge alice bob wonderland -size=9"
    told = talk.hand_in(of_alice(line, 3, message_id), ALICE, ADDRESS)
    assert f"{BOB}: alice challenges you: oust 2" in told


def test_a_corrected_mail_under_the_message_id_of_a_refused_one_is_done(talk: Talk) -> None:
    for minute, cell, told in (
        (1, "Z9", f"{ALICE}: oust 1: not legal, nothing was played"),
        (2, "D4", f"{ALICE}: oust 1 #2: bob to move"),
    ):
        data = of_alice(
            f"oust move 1 alice wonderland {cell}", minute, "Message-ID: <1@example.org>"
        )
        assert told in talk.hand_in(data, ALICE, ADDRESS)


@tabled("again")
def test_a_mail_that_a_program_or_gateway_sends_again_is_the_same_mail(
    again: str, talk: Talk
) -> None:
    headers = (
        f"From: {ALICE}",
        "Subject: oust challenge alice bob wonderland",
        "Message-ID: <1@example.org>",
    )
    first = talk.hand_in(mail(*headers, DATE % 1, text="Shall we?"), ALICE, ADDRESS)
    assert f"{BOB}: alice challenges you: oust 2" in first
    talk.now += timedelta(hours=1)
    talk.hand_in(mail(*headers, again, text="Shall we?"), ALICE, ADDRESS)
    assert [letter.to for letter in talk.letters] in ([], [ALICE])
    talk.send(BOB, "oust games bob")
    assert "oust 3" not in talk.text_to(BOB)


# Senders


@tabled("sender")
def test_the_address_in_brackets_counts_whatever_the_name_looks_like(
    sender: str, talk: Talk
) -> None:
    data = mail(f"From: {sender}", "Subject: signup dora goldeneye77", new_id())
    assert talk.hand_in(data, DORA, ADDRESS) == [f"{DORA}: please confirm your account dora"]


@pytest.mark.parametrize(
    "sender", ["taro..y.@docomo.example", TARO, "Taro <taro..y.@docomo.example>", f"Taro <{TARO}>"]
)
def test_an_old_address_of_a_phone_signs_up_and_plays(sender: str, talk: Talk) -> None:
    told = talk.hand_in(
        mail(f"From: {sender}", SIGNUP, new_id()), "taro..y.@docomo.example", ADDRESS
    )
    assert told == [f"{TARO}: please confirm your account taro"]
    tag = talk.letter_to(TARO)["Reply-To"] or ""
    yes = mail(f"From: {sender}", "Subject: Re: please confirm", new_id(), text="yes")
    assert talk.hand_in(yes, TARO, tag) == [f"{TARO}: welcome, taro"]
    line = "Subject: oust challenge taro alice sakuranohana7"
    talk.hand_in(mail(f"From: {sender}", line, new_id()), TARO, ADDRESS)
    tag = talk.letter_to(TARO)["Reply-To"] or ""
    move = mail(f"From: {sender}", "Subject: Re: oust 2 #1", new_id(), text="D4")
    assert f"{ALICE}: oust 2 #2: your turn, alice" in talk.hand_in(move, TARO, tag)


@pytest.mark.parametrize("address", ["taro..y.@docomo.example", TARO, ".taro@docomo.example"])
def test_such_an_address_may_be_given_in_a_command(address: str, talk: Talk) -> None:
    talk.send(ALICE, f"add alice wonderland {address}")
    (letter,) = (each for each in talk.letters if each.to != ALICE)
    assert letter.to in (TARO, '".taro"@docomo.example')
    assert letter.subject == "please confirm this address for alice"


def test_a_letter_leaves_for_such_an_address_and_is_counted_when_it_comes_back(talk: Talk) -> None:
    talk.home.has_relay = True
    talk.hand_in(mail("From: taro..y.@docomo.example", SIGNUP, new_id()), TARO, ADDRESS)
    named = list[str]()

    class AsWritten(SMTP):
        async def smtp_RCPT(self, arg: str) -> None:
            named.append(arg)
            await super().smtp_RCPT(arg)

    with listening_sink(AsWritten) as (sink, relay):
        Relaying(talk.home, relay, ADDRESS, talk.now.timestamp).flush()
    (taken,) = (each for each in sink.taken if "docomo" in each.rcpt_tos[0])
    assert f"TO:<{TARO}>" in named
    assert taken.mail_from == envelope_sender(ADDRESS, talk.home.key(), "taro..y.@docomo.example")
    status = "Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; taro..y.@docomo.example\n"
    header, text = parts(
        "Content-Type: text/plain\r\n\r\nfailed",
        f"Content-Type: message/delivery-status\n\n{status}Action: failed\nStatus: 5.1.1\n",
        kind="report",
    )
    data = mail("From: MAILER-DAEMON@mx.example", header, "Auto-Submitted: auto-replied", text=text)
    talk.hand_in(data, "", taken.mail_from)
    assert talk.outcome == "returned"


@pytest.mark.parametrize("local", ['"taro y"', '"taro\\\\y"', '"taro\\"y"', '""', "...", "taro y"])
def test_a_sender_to_whom_no_letter_can_go_is_refused_with_the_reason(
    local: str, talk: Talk
) -> None:
    data = mail(f"From: {local}@docomo.example", SIGNUP, new_id())
    with pytest.raises(UnreadableMail, match="neither From nor the envelope sender is an address"):
        talk.hand_in(data, f"{local}@docomo.example", ADDRESS)


# Parameters that the library cannot read


@pytest.mark.parametrize("name", ["name", "filename", "charset", "boundary"])
def test_a_parameter_with_and_without_numbers_keeps_no_mail_from_being_read(
    name: str, talk: Talk
) -> None:
    values = ("*=UTF-8''%C3%9Cber.pdf", "*0*=UTF-8''%C3%9Cber", "*1=.pdf")
    mixed = ";\r\n ".join(f"{name}{value}" for value in values)
    header, text = parts(
        'Content-Type: text/plain; charset="utf-8"\r\n\r\nPlease see my analysis.',
        f"Content-Type: application/pdf;\r\n {mixed}\r\n"
        f'Content-Disposition: attachment; filename="Ueberlegungen.pdf";\r\n {mixed}\r\n'
        "Content-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK",
    )
    move = "Subject: oust move 1 alice wonderland D4"
    data = mail(f"From: {ALICE}", move, new_id(), header, text=text)
    assert f"{BOB}: oust 1 #2: your turn, bob" in talk.hand_in(data, ALICE, ADDRESS)
    assert "Please see my analysis." in talk.text_to(BOB)
