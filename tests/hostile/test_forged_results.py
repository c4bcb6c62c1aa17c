"""Authentication-Results count only from our own mail server, and only for one sure From."""

import json
import re
import smtplib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.mail.reading import read_mail
from pbm_oust.mail.reading.mail import Verdict, verdict_of
from pbm_oust.mail.session import Protocol
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ALICE, BOB, copy_of, home_of, new_id
from tests.support.listening import ADDRESS as LISTENER
from tests.support.listening import listening
from tests.support.mails import mail
from tests.support.steps import work_of
from tests.support.tables import blocks

tabled = tables.tabled(__file__)

MOST_STEPS = 500_000
OURS = "mx.example.org"
CHALLENGE = "oust challenge alice bob -size=5"
NAMED = f"From: Alice <{ALICE}>"
PASSED = f"Authentication-Results: {OURS}; dmarc=pass header.from=example.org"
CASES = blocks(Path(__file__).with_name("verdicts.txt"))
"""Headers by their names, each of which begins with the verdict on them."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB)


@pytest.fixture
def home(begun: Home, tmp_path: Path) -> Home:
    return copy_of(begun, tmp_path / "home")


def said(results: str) -> str:
    """Return a header of our mail server."""
    return f"Authentication-Results: {OURS}; {results}"


def verdict(*headers: str) -> Verdict:
    """Return what headers say about a mail, which is from Alice if they do not say so."""
    froms = [] if "From:" in re.findall(r"^[\w-]+:", "\n".join(headers), re.MULTILINE) else [NAMED]
    return verdict_of(read_mail(mail(*headers, *froms), ALICE), OURS)


@pytest.mark.parametrize("name", CASES)
def test_only_what_our_mail_server_has_verified_is_believed(name: str) -> None:
    found = verdict(CASES[name].replace("\n", "\r\n"))
    assert found.name.lower() == name.partition(":")[0]


def test_nothing_below_what_is_too_long_is_believed() -> None:
    assert verdict(said("x" * 3000), PASSED) is Verdict.UNKNOWN


def test_a_sender_without_from_is_not_verified() -> None:
    sent = read_mail(mail(PASSED, f"Subject: {CHALLENGE}"), ALICE)
    assert sent.sender == ALICE
    assert verdict_of(sent, OURS) is Verdict.UNKNOWN


@pytest.mark.parametrize("filling", ["; a=b", "(", "() ", "smtp.a=b ", "a" * 70, '"', "\\", ". "])
def test_a_header_that_is_made_to_cost_much_is_not_read(filling: str) -> None:
    headers = [said(f"spf=pass {filling * (7900 // len(filling))}")] * 3
    headers += [said(f"spf=pass {filling * (1900 // len(filling))}")] * 3
    for each in (headers[:3], headers[3:]):
        assert work_of(partial(verdict, *each)).steps < MOST_STEPS


@tabled("protocol", "servers", "boards", protocol=Protocol, boards=json.loads)
def test_a_host_counts_as_ours_if_it_is_configured(
    protocol: Protocol, servers: str, boards: list[int], home: Home
) -> None:
    client = smtplib.LMTP if protocol is Protocol.LMTP else smtplib.SMTP
    data = mail(PASSED, NAMED, f"Subject: {CHALLENGE}", new_id())
    with (
        listening(home, protocol, mail_servers=servers, authserv_id=OURS) as port,
        client("127.0.0.1", port, "localhost") as session,
    ):
        session.sendmail(ALICE, LISTENER, data)
    assert board_numbers(home) == boards


@tabled("naming", "boards", boards=json.loads)
def test_a_client_that_our_mail_server_only_passes_through_is_not_believed(
    naming: str, boards: list[int], home: Home
) -> None:
    data = mail(PASSED, NAMED, f"Subject: {CHALLENGE}", new_id())
    with (
        listening(home, mail_servers="127.0.0.1", authserv_id=OURS) as port,
        smtplib.SMTP("127.0.0.1", port, "localhost") as session,
    ):
        session.ehlo()
        assert session.docmd(naming)[0] in (220, 250)
        session.ehlo()
        session.sendmail(ALICE, LISTENER, data)
    assert board_numbers(home) == boards


@given(st.lists(st.text(alphabet='mx.example.org;=()"\\/ dkimspf@\t,<>1', max_size=60), max_size=4))
def test_headers_of_any_kind_are_read_without_a_fault(values: list[str]) -> None:
    for begun in ("", f"{OURS}; ", f"{OURS}; dkim=pass "):
        headers = [f"Authentication-Results: {begun}{value}" for value in values]
        assert verdict(*headers, *(f"From: {value}" for value in values[:1])) in Verdict
