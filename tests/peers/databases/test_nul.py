"""NUL, which no text in PostgreSQL can hold: it is no fault in a mail, a page or a file."""

import json
from base64 import b64encode
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from pbm_oust.cli import main
from pbm_oust.mail.reading import UnreadableMail
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, Talk, new_id
from tests.support.mails import mail
from tests.support.website import website

FROM = f"From: {ALICE}"
MOVE, REST = "oust move 1 alice wonderland C3", "Hello\0 Bob\r\n"
IN_BASE64 = ("Content-Type: text/{}; charset=utf-8", "Content-Transfer-Encoding: base64")


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def subject(line: str) -> str:
    return f"Subject: =?utf-8?B?{encoded(line)}?="


MAILS = {
    "a Subject": (ALICE, mail(FROM, f"Subject: {MOVE}\0", new_id())),
    "a placement": (
        BOB,
        mail(f"From: {BOB}", subject("oust move 1 bob lookingglass A1\0"), new_id()),
    ),
    "a userid": (ALICE, mail(FROM, subject("forgot al\0ice"), new_id())),
    "an unknown word": (ALICE, mail(FROM, subject("fo\0o"), new_id())),
    "a password": (ALICE, mail(FROM, subject("signup dora sec\0ret123"), new_id())),
    "a Message-ID": (ALICE, mail(FROM, "Subject: help", "Message-ID: <a\0b@example.org>")),
    "a sender": ("al\0ice@example.org", mail("From: al\0ice@example.org", "Subject: help")),
    "a text": (
        ALICE,
        mail(FROM, "Subject: oust move 1 alice wonderland E5", new_id(), text=REST),
    ),
    "an encoded text": (
        BOB,
        mail(
            f"From: {BOB}",
            "Subject: oust move 1 bob lookingglass B2",
            new_id(),
            *(line.format("plain") for line in IN_BASE64),
            text=encoded(REST),
        ),
    ),
    "HTML": (
        ALICE,
        mail(
            FROM,
            "Subject: oust move 1 alice wonderland B4",
            new_id(),
            *(line.format("html") for line in IN_BASE64),
            text=encoded(f"<p>{REST}&#0;</p>"),
        ),
    ),
}
"""Senders and mails, by what has a NUL in them."""


@pytest.mark.parametrize("place", ["database"], indirect=True)
def test_a_mail_with_nul_is_answered_or_left_as_every_other(place: Path) -> None:
    talk, outcomes = Talk.begin(place, ALICE, BOB), dict[str, str]()
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    for what, (sender, data) in MAILS.items():
        try:
            talk.hand_in(data, sender, ADDRESS)
        except UnreadableMail:
            outcomes[what] = "refused for good"
        else:
            outcomes[what] = talk.outcome
    talk.home.close()
    assert outcomes == {
        "a Subject": "done: move",
        "a placement": "done: move",
        "a userid": "done: forgot",
        "an unknown word": "refused: unknown_word",
        "a password": "done: signup",
        "a Message-ID": "answered",
        "a sender": "refused for good",
        "a text": "done: move",
        "an encoded text": "done: move",
        "HTML": "done: move",
    }


@pytest.mark.parametrize("place", ["database"], indirect=True)
def test_a_mail_with_nul_anywhere_is_no_fault(place: Path) -> None:
    talk, rng = Talk.begin(place, ALICE, BOB), Random(1)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    for line in (MOVE, "message alice wonderland bob", "note oust 1 alice wonderland", "yes"):
        for kind in ("plain", "html"):
            text = ("Content-Type: multipart/mixed; boundary=b", "MIME-Version: 1.0")
            part = f"--b\r\n{IN_BASE64[0].format(kind)}\r\n\r\nHello, Bob\r\n--b--\r\n"
            headers = f"From: Alice <{ALICE}>", f"Subject: {line}", new_id()
            whole = mail(*headers, "References: <a@b> <c@d>", *text, text=part)
            for _ in range(6):
                at = rng.randrange(len(whole))
                talk.hand_in(whole[:at] + b"\0" + whole[at:], ALICE, ADDRESS)
    talk.home.close()


PATHS = (
    "/history?game=oust&player={}",
    "/boards?player=al{}ice",
    "/boards?game={}",
    "/boards?page={}",
    "/players/al{}ice",
    "/players/{}.atom",
    "/players/alice{}/ratings/oust",
    "/standings/{}",
    "/play/oust.1.1.alice.{}",
    "/code/{}",
    "/calendar/alice.{}.ics",
    "/help/{}",
    "/oust/1?turn={}",
    "/{}",
)
FORMS = (
    ("/sign-in", "address=al{}ice%40example.org"),
    ("/sign-in", "address={}"),
    ("/sign-up", "userid=al{}ice&password=wonderland&rest=new%40example.org"),
    ("/sign-up", "userid=dora&password=wonder{}land&rest=dora%40example.org"),
    ("/sign-up", "userid=dora&password=wonderland&rest=do{}ra%40example.org"),
    ("/sign-up", "{}=dora&rest={}"),
)


@pytest.mark.parametrize("place", ["files", "database"], indirect=True)
def test_pages_and_forms_with_control_characters_are_no_fault(place: Path) -> None:
    Talk.begin(place, ALICE, BOB).home.close()
    with (place / "pbm_oust.toml").open("a") as configuration:
        configuration.write('web_address = "http://games.example.org"\n')
    with website(place) as pages:
        for control in ("%00", "%01", "%1B", "%7F", "%C2%85"):
            for path in PATHS:
                assert pages.get(path.format(control)).status in (400, 404), path
            for path, form in FORMS:
                assert pages.post(path, form.replace("{}", control)).status < 500, (path, form)
        assert "Traceback" not in pages.log


@pytest.mark.parametrize("place", ["files", "database"], indirect=True)
def test_players_with_control_characters_are_not_imported(place: Path) -> None:
    Talk.begin(place, ALICE).home.close()

    def run(*words: str, given: str = "") -> tuple[int, str]:
        done = CliRunner().invoke(main, ["--home", str(place), *words], input=given)
        return done.exit_code, done.output

    account = json.loads(run("players", "export", "-")[1])
    account |= {"userid": "dora", "addresses": ["dora@example.org"]}
    for control in ("\0", "\x1b", "\x7f", "\x85"):
        kept = [{"kind": "oust", "board": 1, "note": f"Watch{control} D4"}]
        wrong: list[dict[str, object]] = [
            {"notes": kept},
            {"userid": f"do{control}ra"},
            {control: []},
        ]
        for more in wrong:
            status, said = run("players", "import", given=json.dumps(account | more))
            assert (status, "line 1" in said, "Traceback" in said) == (1, True, False), said
    notes = [{"kind": "oust", "board": 1, "note": "Watch\tD4\nand E5"}]
    assert run("players", "import", given=json.dumps(account | {"notes": notes}))[0] == 0
