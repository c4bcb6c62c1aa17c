"""Players whose domains are beyond ASCII: each has two forms, which are one."""

from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.play.request import outcome_text
from pbm_oust.store.accounts import accounts_at
from pbm_oust.store.configuration import parse_configuration
from tests.support.accounts import account_of, make_account
from tests.support.home_by_mail import ADDRESS, BOB, Talk, home_of, new_id
from tests.support.mails import mail

READABLE, ASCII = "jurgen@bücher.example", "jurgen@xn--bcher-kva.example"
FORMS = [READABLE, ASCII, "Jurgen@BÜCHER.example", "jurgen@bu\u0308cher.example"]


@pytest.fixture(params=[READABLE, ASCII])
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Talk:
    home = home_of(tmp_path / "home", BOB)
    make_account(home, "jurgen", "regenbogen42", request.param)
    return Talk(home)


@pytest.mark.parametrize("sender", FORMS)
def test_a_player_is_known_by_either_form_of_the_domain(sender: str, talk: Talk) -> None:
    talk.send(sender, "oust challenge jurgen bob regenbogen42 -size=7")
    assert [letter.to for letter in talk.letters] == [ASCII, BOB]
    talk.send(sender, "oust challenge bob -size=7")
    assert [letter.to for letter in talk.letters] == [ASCII]


def test_letters_leave_in_ascii(talk: Talk) -> None:
    talk.send(READABLE, "settings jurgen regenbogen42")
    assert talk.letter_to(ASCII).data.isascii()


def test_the_same_address_in_another_form_is_no_further_one(talk: Talk) -> None:
    before = account_of(talk.home, "jurgen").addresses
    for form in FORMS:
        talk.send(READABLE, f"add jurgen regenbogen42 {form}")
    assert account_of(talk.home, "jurgen").addresses == before
    for form in FORMS:
        assert [each.userid for each in talk.home.ask(accounts_at, form)] == ["jurgen"]


def test_our_own_address_may_be_of_such_a_domain(tmp_path: Path) -> None:
    own = parse_configuration('address = "pbmserv@bücher.example"').address
    talk = Talk(home_of(tmp_path / "home", BOB), own=str(own))
    for to in ("pbmserv@bücher.example", "pbmserv@xn--bcher-kva.example"):
        talk.send(BOB, "settings bob lookingglass", to=to)
        assert talk.letter_to(BOB)["From"] == "pbm_oust <pbmserv@xn--bcher-kva.example>"


@pytest.mark.parametrize("host", ["b\u00fccher.example", "xn--bcher-kva.example"])
def test_pages_may_be_of_such_a_domain(host: str) -> None:
    found = parse_configuration(f'web_address = "https://{host}:8443/"')
    assert found.web_address == "https://xn--bcher-kva.example:8443"


@pytest.mark.parametrize("sender", ["j\u00fcrgen@example.org", "ju\u0308rgen@EXAMPLE.org"])
def test_accents_of_a_name_may_be_written_in_one_sign_or_two(sender: str, tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", BOB)
    make_account(home, "jurgen", "regenbogen42", "j\u00fcrgen@example.org")
    talk = Talk(home)
    talk.send(sender, "oust challenge bob -size=7")
    assert [letter.subject for letter in talk.letters] == ["did you write this?"]


@pytest.mark.parametrize("said", ["b\u00fccher.example", "xn--bcher-kva.example"])
@pytest.mark.parametrize("sender", FORMS)
def test_a_mail_server_may_verify_either_form(sender: str, said: str, talk: Talk) -> None:
    talk.send(READABLE, "settings jurgen regenbogen42 auth sender")
    inbound = open_inbound(talk.home, ADDRESS, lambda: talk.now, authserv_id="mx.example.org")
    envelope = Envelope(sender, (ADDRESS,), is_of_mail_server=True)
    outcomes = []
    for found in ("pass", "fail"):
        results = f"Authentication-Results: mx.example.org; dmarc={found} header.from={said}"
        data = mail(
            results,
            f"From: J\u00fcrgen <{sender}>",
            "Subject: oust challenge jurgen bob -",
            new_id(),
        )
        outcomes.append(outcome_text(inbound.take(data, envelope)))
    assert outcomes == ["done", "silent: its From is forged"]
