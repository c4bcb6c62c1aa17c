"""No charset that a mail names, wherever it stands, lets its server try again and again."""

from contextlib import suppress

import pytest

from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.mail.inbound import Envelope, Inbound, open_inbound
from pbm_oust.mail.reading import UnreadableMail
from tests.support import tables
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, new_id
from tests.support.limits import UNLIMITED
from tests.support.mails import mail, parts
from tests.support.outbox import letters
from tests.support.rings import fast_if

CHARSETS = [
    *("idna", "undefined", "punycode", "utf-7", "unicode_escape", "raw_unicode_escape"),
    *("rot13", "zlib", "uu", "hex", "bz2", "base64", "quopri", "mbcs", "oem", "utf-16-le"),
    *("utf_8_sig", "cp65001", "a\0b", "\0", "../x", "x" * 300, "\u00e9", "%00", "''", "*", " "),
]
OFTEN_FATAL = ("idna", "undefined", "zlib", "a\0b")
"""Those over which the library fails in ways of their own."""
PLACES = tables.named(__file__, "places")


@pytest.fixture(scope="module")
def inbound(tmp_path_factory: pytest.TempPathFactory) -> Inbound:
    begin = [
        (ALICE, "oust challenge alice bob wonderland"),
        (BOB, "add bob lookingglass a@b.example"),
    ]
    home = home_of(tmp_path_factory.mktemp("home") / "home", ALICE, BOB, mails=begin)
    return open_inbound(home, ADDRESS, lambda: NOON, UNLIMITED, "mx.example")


@pytest.fixture(scope="module")
def recipients(inbound: Inbound) -> list[str]:
    """Return the address for commands, and those of an answer, of a code and of bounces."""
    home = inbound.work.home
    tags = {letter.to: letter["Reply-To"] or "" for letter in letters(home)}
    return [ADDRESS, tags[ALICE], tags["a@b.example"], envelope_sender(ADDRESS, home.key(), BOB)]


def take(inbound: Inbound, data: bytes, recipient: str) -> None:
    """Hand in a mail: it is taken, or refused for good. KeptBySender is neither."""
    with suppress(UnreadableMail):
        inbound.take(data, Envelope("a@b.example", (recipient,), is_of_mail_server=True))


@pytest.mark.parametrize("charset", fast_if(OFTEN_FATAL.__contains__, CHARSETS))
def test_an_odd_charset_in_a_header_leaves_no_mail_with_its_sender(
    charset: str, inbound: Inbound
) -> None:
    for place in PLACES.values():
        odd = place.format(charset)
        name = odd.partition(":")[0]
        others = [f"From: {ALICE}", "Subject: help", new_id()]
        headers = [odd, *(each for each in others if not each.startswith(name))]
        take(inbound, mail(*headers, text=f"<meta charset={charset}>yes \xff D4"), ADDRESS)


@pytest.mark.parametrize("charset", fast_if(OFTEN_FATAL.__contains__, CHARSETS))
def test_nor_does_one_in_a_part_of_any_mail(
    charset: str, inbound: Inbound, recipients: list[str]
) -> None:
    odd = [place.format(charset) for place in PLACES.values()]
    header, text = parts(
        *(f"{each}\r\n\r\nyes" for each in odd),
        "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n"
        f"Final-Recipient: {charset}; {BOB}\r\nAction: failed\r\nStatus: {charset}\r\n"
        f"Diagnostic-Code: {charset}; 550",
        *(f"Content-Type: message/rfc822\r\n\r\n{each}\r\nTo: {BOB}\r\n\r\nx" for each in odd),
        kind="report" if len(charset) % 2 else "mixed",
    )
    for recipient in recipients:
        data = mail(f"From: {ALICE}", "Subject: help", new_id(), header, text=text)
        take(inbound, data, recipient)
