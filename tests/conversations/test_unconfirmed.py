"""A challenge without a password waits until the player whose address it came from says yes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.tags import salt_for
from pbm_oust.cli import main
from tests.support.accounts import all_codes, change_account, make_account
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, NOON, PASSWORDS, Talk, mailed
from tests.support.outbox import Letter
from tests.support.steps import work_of

LINE = "oust challenge alice bob -size=5"
ASKS = f"{ALICE}: please confirm a challenge to bob"
BEGINS = [f"{ALICE}: oust 1 #1: your turn, alice", f"{BOB}: alice challenges you: oust 1"]


@pytest.fixture
def talk(place: Path) -> Iterator[Talk]:
    talk = Talk.begin(place, ALICE, BOB, CAROL)
    yield talk
    talk.home.close()


def answer_address(letter: Letter) -> str:
    return letter["Reply-To"] or ""


def asked(talk: Talk, line: str = LINE, text: str = "Hello Bob", number: int = 0) -> str:
    """Send an unproved challenge, and return where a yes goes."""
    assert talk.send(ALICE, line, text, number=number) == [ASKS]
    return answer_address(talk.letter_to(ALICE))


def test_the_yes_of_the_player_starts_the_board(talk: Talk) -> None:
    to = asked(talk)
    assert board_numbers(talk.home) == []
    assert talk.send(ALICE, "Re: please confirm", "yes", to=to) == BEGINS


def test_a_text_that_nothing_proves_goes_to_nobody(talk: Talk) -> None:
    to = asked(talk, text="Buy my pills at once")
    assert "A text came with it. It goes to nobody" in talk.letter_to(ALICE).words
    assert "pills" not in talk.text_to(ALICE)
    talk.send(ALICE, "Re: please confirm", "yes", to=to)
    assert "pills" not in talk.text_to(ALICE) + talk.text_to(BOB)
    asked(talk, text="")
    assert "A text came with it" not in talk.letter_to(ALICE).words


def test_the_code_as_a_subject_starts_it_too(talk: Talk) -> None:
    code = asked(talk).partition("verify.")[2].partition("@")[0]
    assert talk.send(ALICE, f"verify {code}") == BEGINS


def test_two_confirmations_start_one_board(talk: Talk) -> None:
    to = asked(talk, number=1)
    assert talk.send(ALICE, "", "yes", to=to) == BEGINS
    assert talk.send(ALICE, "", "yes", to=to) == [f"{ALICE}: already done"]
    assert talk.send(ALICE, LINE, "Hello Bob", number=1) == [f"{ALICE}: oust 1: already done"]
    assert board_numbers(talk.home) == [1]


def test_the_same_mail_asks_once(talk: Talk) -> None:
    asked(talk, number=1)
    assert talk.send(ALICE, LINE, "Hello Bob", number=1) == []
    assert talk.outcome == "silent: the same challenge waits for a yes"
    assert len(talk.home.ask(all_codes)) == 1


def test_an_answer_that_does_not_agree_starts_nothing(talk: Talk) -> None:
    to = asked(talk)
    talk.send(ALICE, "Out of office", "I am away until Monday.", to=to)
    assert board_numbers(talk.home) == []


def test_three_wait_and_a_fourth_is_refused_once_a_day(talk: Talk) -> None:
    for _ in range(3):
        asked(talk)
    assert talk.send(ALICE, LINE) == [f"{ALICE}: not done"]
    assert "oust challenge alice bob PASSWORD -size=5" in talk.text_to(ALICE)
    assert talk.send(ALICE, LINE) == []
    assert talk.send(ALICE, "oust challenge alice bob wonderland -size=5") == BEGINS


def test_it_waits_for_three_days(talk: Talk) -> None:
    to = asked(talk)
    talk.now = NOON + timedelta(days=3)
    talk.send(ALICE, "", "yes", to=to)
    assert talk.outcome == "refused: no_such_code"
    assert len(asked(talk)) > 0


def test_what_the_other_player_wants_meanwhile_counts(talk: Talk) -> None:
    to = asked(talk)
    talk.send(BOB, "reject bob lookingglass alice")
    assert talk.send(ALICE, "", "yes", to=to) == [f"{ALICE}: not done"]
    assert "accepts no challenges from alice" in talk.letter_to(ALICE).words
    assert f"{LINE}\n" in talk.text_to(ALICE)
    talk.send(BOB, "unreject bob lookingglass alice")
    assert talk.send(ALICE, "", "yes", to=to) == [f"{ALICE}: not done"]
    assert board_numbers(talk.home) == []


def test_a_challenge_that_cannot_be_carried_out_is_refused_at_once(talk: Talk) -> None:
    assert talk.send(ALICE, "oust challenge alice nobody") == [f"{ALICE}: not done"]
    assert talk.send(ALICE, "churn challenge alice bob -size=2,3") == [f"{ALICE}: not done"]
    assert talk.home.ask(all_codes) == []


def test_a_replay_waits_as_well(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    to = asked(talk, "oust replay 1 0 alice bob")
    assert talk.send(ALICE, "", "yes", to=to) == [
        line.replace("oust 1", "oust 2") for line in BEGINS
    ]


def test_each_of_several_commands_has_a_letter_of_its_own(talk: Talk) -> None:
    assert talk.send(ALICE, "multiple", f"{LINE}\noust show 1") == [
        ASKS,
        f"{ALICE}: 1 of 2 done",
    ]
    to = answer_address(talk.letters[0])
    assert talk.send(ALICE, "", "yes", to=to) == BEGINS


@pytest.mark.parametrize("end", [["rename", "bob", "robert"], ["merge", "bob", "carol"]])
def test_a_challenge_to_a_player_of_another_userid_waits_no_more(
    talk: Talk, end: list[str]
) -> None:
    to = asked(talk)
    ran = CliRunner().invoke(main, ["--home", str(talk.home.path), "players", *end])
    assert ran.exit_code == 0, ran.output
    assert talk.home.ask(all_codes) == []
    talk.send(ALICE, "", "yes", to=to)
    assert talk.outcome == "refused: no_such_code"


@pytest.mark.parametrize("sender", [ALICE, BOB])
@pytest.mark.parametrize("line", ["forget {} {} really", "delete {} {}"])
def test_a_challenge_of_or_to_a_player_who_has_gone_waits_no_more(
    talk: Talk, sender: str, line: str
) -> None:
    asked(talk)
    userid = sender.partition("@")[0]
    talk.send(sender, line.format(userid, PASSWORDS[userid]))
    assert talk.outcome.startswith("done: ")
    assert talk.home.ask(all_codes) == []


def test_a_whole_command_in_an_answer_to_a_board_mail_is_proved(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    to = answer_address(talk.letter_to(ALICE))
    sent = talk.send(ALICE, "Re: oust 1", "oust challenge bob alice -size=4", to=to)
    assert sent == [f"{ALICE}: oust 2 #1: bob to move", f"{BOB}: alice challenges you: oust 2"]
    assert talk.send(ALICE, "Re: oust 1", "oust challenge bob carol", to=to) == [
        f"{ALICE}: not done"
    ]


def test_the_password_is_that_of_either_player_wherever_the_mail_comes_from(talk: Talk) -> None:
    for password in ("wonderland", "lookingglass"):
        for sender in (ALICE, BOB, CAROL):
            talk.send(sender, f"oust challenge alice bob {password} -size=5")
            assert talk.outcome == "done: challenge"
    assert len(board_numbers(talk.home)) == 6


@pytest.mark.parametrize("sender", [ALICE, BOB, CAROL])
def test_a_wrong_password_is_refused_and_shown_nowhere(talk: Talk, sender: str) -> None:
    assert talk.send(sender, "oust challenge alice bob rabbithole -size=5") == [
        f"{sender}: not done"
    ]
    assert talk.outcome == "refused: wrong_password"
    assert "rabbithole" not in talk.text_to(sender)
    assert "oust challenge alice bob PASSWORD -size=5" in talk.text_to(sender)


def test_a_password_is_tried_for_two_players_at_most(talk: Talk) -> None:
    def tried(line: str) -> int:
        return work_of(lambda: talk.send(ALICE, line)).scrypts

    for userid, password in (("alice", "wonderland"), ("bob", "lookingglass")):
        stored = hash_password(Secret(password), salt_for(bytes(32), userid))
        change_account(talk.home, userid, partial(replace, password=stored))
    assert tried("oust challenge bob alice wonderland") == 1
    assert tried("oust challenge alice bob lookingglass") == 2
    assert tried("oust challenge alice bob rabbithole") == 2
    assert tried("oust challenge nobody noone rabbithole") == 2


def test_wrong_passwords_count_for_both_players(talk: Talk) -> None:
    for number in range(10):
        talk.send(CAROL, f"oust challenge alice bob rabbithole{number} -size=5")
    warned = [each.to for each in talk.letters if each.subject.startswith("wrong passwords")]
    assert sorted(warned) == [ALICE, BOB]


def test_a_password_brings_a_player_back_who_has_signed_off(talk: Talk) -> None:
    talk.send(ALICE, "signoff alice wonderland")
    assert talk.send(ALICE, LINE) == [f"{ALICE}: not done"]
    assert talk.send(ALICE, "oust challenge alice bob wonderland -size=5") == BEGINS


def test_one_address_of_two_players_asks_one_of_them(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE)
    make_account(talk.home, "bob", "lookingglass", ALICE)
    assert talk.send(ALICE, LINE) == [ASKS]
    assert ADDRESS.partition("@")[2] in answer_address(talk.letters[0])
    assert len(mailed(talk.home, ALICE, LINE)) == 1
