"""Invitations, as the operator sees them: in the log, and in the account of the inviter."""

from pathlib import Path

import pytest

from tests.support.command_line import done
from tests.support.conversation import Conversation, address_of
from tests.support.home_by_mail import Talk

FRIEND = "friend@example.net"


def invited(path: Path) -> Conversation:
    """Return a conversation in which Alice has invited a friend."""
    conversation = Conversation(Talk.begin(path, *map(address_of, ("alice", "bob"))))
    conversation.say(
        [
            "alice > oust challenge alice bob wonderland",
            "alice >> D4",
            f"alice >> invite {FRIEND}",
        ]
    )
    return conversation


def test_the_log_names_who_has_invited_somebody_and_not_whom(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="pbm_oust"):
        invited(tmp_path / "home")
    line = caplog.messages[-1]
    assert "outcome=done command=invite" in line
    assert " player=alice " in line
    assert FRIEND not in caplog.text


def test_the_operator_sees_what_became_of_invitations(tmp_path: Path) -> None:
    conversation = invited(tmp_path / "home")
    home = conversation.talk.home

    def shown() -> str:
        told = done(home, "players", "show", "alice")
        (line,) = (each for each in told.splitlines() if each.startswith("Invitation: "))
        return line

    assert shown().endswith(" square 11x11 swap rated nagtime=7 forfeittime=21 open")
    conversation.say([f"{FRIEND} >> no"])
    assert shown().endswith(" declined")
    conversation.say([f"{FRIEND} >> yes"])
    assert shown().endswith(" oust 2")
    assert FRIEND not in shown()
