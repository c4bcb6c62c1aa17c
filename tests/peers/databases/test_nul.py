"""NUL, which no text in PostgreSQL can hold: it is no fault in a mail, a page or a file."""

import json
from pathlib import Path
from random import Random

import pytest

from pbm_oust.mail.reading import UnreadableMail
from tests.support import tables
from tests.support.command_line import run
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, Talk, new_id
from tests.support.mails import mail
from tests.support.tables import pairs
from tests.support.website import website

MAILS = pairs(Path(__file__).with_name("nul.txt"))


@pytest.mark.parametrize("place", ["database"], indirect=True)
def test_a_mail_with_nul_is_answered_or_left_as_every_other(place: Path) -> None:
    talk = Talk.begin(place, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    for mail_with_nul, wanted in MAILS:
        try:
            sender = mail_with_nul.removeprefix("From: ").partition("\r\n")[0]
            talk.hand_in(mail_with_nul.encode(), sender, ADDRESS)
        except UnreadableMail:
            assert wanted == "refused for good"
        else:
            assert talk.outcome == wanted
    talk.home.close()


@pytest.mark.parametrize("place", ["database"], indirect=True)
def test_a_mail_with_nul_anywhere_is_no_fault(place: Path) -> None:
    talk, rng = Talk.begin(place, ALICE, BOB), Random(1)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    for line in (
        "oust move 1 alice wonderland C3",
        "message alice wonderland bob",
        "note oust 1 alice wonderland",
        "yes",
    ):
        for kind in ("plain", "html"):
            text = ("Content-Type: multipart/mixed; boundary=b", "MIME-Version: 1.0")
            part = f"--b\r\nContent-Type: text/{kind}; charset=utf-8\r\n\r\nHello, Bob\r\n--b--\r\n"
            headers = f"From: Alice <{ALICE}>", f"Subject: {line}", new_id()
            whole = mail(*headers, "References: <a@b> <c@d>", *text, text=part)
            for _ in range(6):
                at = rng.randrange(len(whole))
                talk.hand_in(whole[:at] + b"\0" + whole[at:], ALICE, ADDRESS)
    talk.home.close()


PATHS = tables.words(__file__, "paths")
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

    account = json.loads(run(place, "players", "export", "-").output)
    account |= {"userid": "dora", "addresses": ["dora@example.org"]}
    for control in ("\0", "\x1b", "\x7f", "\x85"):
        kept = [{"kind": "oust", "board": 1, "note": f"Watch{control} D4"}]
        wrong: list[dict[str, object]] = [
            {"notes": kept},
            {"userid": f"do{control}ra"},
            {control: []},
        ]
        for more in wrong:
            done = run(place, "players", "import", stdin=json.dumps(account | more))
            assert (done.exit_code, "line 1" in done.output) == (1, True), done.output
            assert "Traceback" not in done.output
    notes = [{"kind": "oust", "board": 1, "note": "Watch\tD4\nand E5"}]
    taken = run(place, "players", "import", stdin=json.dumps(account | {"notes": notes}))
    assert taken.exit_code == 0
